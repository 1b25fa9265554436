import type * as z from "zod";
import { invalid } from "../shared/errors.ts";
import type { ContentPart } from "../shared/messages.ts";
import {
  checkedCall,
  parseInput,
  schemaOf,
  checkName,
  type ToolDefinition,
} from "./define-tool.ts";
import { issueLines } from "./input-issues.ts";
import type { ClientTool, Effect } from "./tool.ts";

export type ClientToolDefinition<Input extends z.ZodObject> = Pick<
  ToolDefinition<Input>,
  "name" | "description" | "input" | "subjects" | "check" | "group"
> & {
  /** What the client has to send; default: any JSON. */
  readonly output?: z.ZodType;
  /** Default `external`. */
  readonly effect?: Effect;
};

/** Characters of a result, as many as any tool's may have. */
const MAX_OUTPUT = 100_000;

/**
 * A tool that the client runs: its arguments are validated as those of any tool, its call waits, and what the client
 * sends is validated before the model sees it, as text: a text as it is, anything else as JSON. Throws a plain `Error`
 * for a name that providers refuse.
 */
export function defineClientTool<Input extends z.ZodObject>(
  definition: ClientToolDefinition<Input>,
): ClientTool {
  const { name, description, input, output, effect = "external" } = definition;
  checkName(name);
  let inputSchema: ClientTool["inputSchema"] | undefined;

  return {
    name,
    description,
    effect,
    ...(definition.group === undefined ? {} : { group: definition.group }),
    runsOn: "client",
    get inputSchema() {
      inputSchema ??= schemaOf(input);
      return inputSchema;
    },
    prepare: (raw) => checkedCall(definition, parseInput(name, input, raw)),
    accept: (given) => [accepted(name, output ? parseOutput(name, output, given) : given)],
  };
}

function parseOutput(name: string, output: z.ZodType, given: unknown): unknown {
  const parsed = output.safeParse(given);
  if (parsed.success) return parsed.data;
  const lines = issueLines(parsed.error.issues, given, []).map((line) => `- ${line}`);
  throw invalid(
    [
      `The result of ${name} is not what it has to be, so it was not taken:`,
      ...lines,
      "Send it again with these corrected.",
    ].join("\n"),
  );
}

function accepted(name: string, output: unknown): ContentPart {
  const text = typeof output === "string" ? output : JSON.stringify(output);
  if (text === undefined)
    throw invalid(
      `The result of ${name} is missing. Send a text or JSON; null if it gives nothing.`,
    );
  if (text.length > MAX_OUTPUT)
    throw invalid(
      `The result of ${name} has ${text.length} characters, at most ${MAX_OUTPUT} are allowed. Send the part that matters.`,
    );
  return { type: "text", text };
}
