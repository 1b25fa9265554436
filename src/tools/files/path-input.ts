import * as z from "zod";
import { CarrelError } from "../../shared/errors.ts";
import { workspacePath } from "../../workspace/layers/path.ts";

/** A path argument: any spelling in, the canonical one out. What is no path is a mistake in the arguments. */
export const pathInput = z.string().transform((raw, context) => {
  try {
    return workspacePath(raw);
  } catch (error) {
    if (!(error instanceof CarrelError)) throw error;
    context.addIssue({ code: "custom", message: error.message });
    return z.NEVER;
  }
});

/** The path of a file. */
export const filePath = pathInput.describe(
  "Path from the workspace root, for example notes/plan.md.",
);

/** Where to list or search. */
export const placeInput = pathInput
  .prefault(".")
  .describe('Path from the workspace root. Default: ".", the root.');
