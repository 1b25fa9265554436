import worker, * as classes from "main.js";
import { counted, withCounts } from "counted.mjs";

export const SessionObject = counted(classes.SessionObject);

export default withCounts(worker);
