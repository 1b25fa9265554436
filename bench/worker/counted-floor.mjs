import worker, * as classes from "main.js";
import { counted, withCounts } from "counted.mjs";

export const FloorObject = counted(classes.FloorObject);
export const FloorSocketObject = counted(classes.FloorSocketObject);

export default withCounts(worker);
