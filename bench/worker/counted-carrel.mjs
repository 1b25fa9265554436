import worker, * as classes from "main.js";
import { counted, withCounts } from "counted.mjs";

export const SessionObject = counted(classes.SessionObject);
export const { WorkspaceObject, RegistryObject } = classes;

export default withCounts(worker);
