import * as z from "zod";
import type { Subjects, ToolVerdict } from "../shared/permissions.ts";
import type {
  CheckedCall,
  Effect,
  PreparedCall,
  Replay,
  ServerTool,
  Tool,
  ToolContext,
  ToolOutput,
} from "./tool.ts";
import { issueLines, RefusedInput } from "./input-issues.ts";

export type ToolDefinition<Input extends z.ZodObject> = {
  /** 1 to 64 letters, digits, `_` or `-`: what every provider accepts. */
  readonly name: string;
  readonly description: string;
  /** Prefer `z.strictObject`, so that a misspelled argument is an error and not ignored. */
  readonly input: Input;
  /** Default `external`. */
  readonly effect?: Effect;
  /** Default `unsafe`. `checkable` needs a `probe`. */
  readonly replay?: Replay;
  /** Default: only when `effect` is `read`. */
  readonly parallel?: boolean;
  /** Offered only in sessions in which this group was activated. Default: in all. */
  readonly group?: string;
  /** What permission rules look at: the call's paths, command lines and URLs. Default: they are told by their names. */
  subjects?(input: z.output<Input>): Subjects;
  /** The tool's own opinion of a call; `ask` with `safety` is asked in every mode. Default: none. */
  check?(input: z.output<Input>): ToolVerdict;
  /** What an approval is bound to beside the arguments. Default: nothing. */
  binds?(input: z.output<Input>): string;
  run(input: z.output<Input>, context: ToolContext): ToolOutput | Promise<ToolOutput>;
  probe?(input: z.output<Input>, context: ToolContext): Promise<"done" | "absent" | "unknown">;
};

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * A tool whose arguments are validated before it runs (promise X5). Throws a plain `Error` for a name that
 * providers refuse and for `checkable` without a probe: both are mistakes in code.
 */
export function defineTool<Input extends z.ZodObject>(
  definition: ToolDefinition<Input>,
): ServerTool {
  const { name, description, input, effect = "external", replay = "unsafe" } = definition;
  checkName(name);
  if (replay === "checkable" && !definition.probe)
    throw new Error(`${name} is checkable but has no probe`);
  let inputSchema: Tool["inputSchema"] | undefined;

  return {
    name,
    description,
    effect,
    replay,
    parallel: definition.parallel ?? effect === "read",
    ...(definition.group === undefined ? {} : { group: definition.group }),
    get inputSchema() {
      inputSchema ??= schemaOf(input);
      return inputSchema;
    },
    prepare(raw) {
      return prepared(definition, parseInput(name, input, raw));
    },
  };
}

/** Throws a plain `Error` for a name that some provider refuses. */
export function checkName(name: string): void {
  if (!NAME.test(name)) throw new Error(`not a tool name: ${JSON.stringify(name)}`);
}

/** The arguments of a call. Throws `RefusedInput`. */
export function parseInput<Input extends z.ZodObject>(
  tool: string,
  input: Input,
  raw: unknown,
): z.output<Input> {
  const given = raw ?? {};
  const parsed = input.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new RefusedInput(
    `The arguments of ${tool} are not valid, so it did not run:`,
    issueLines(parsed.error.issues, given, Object.keys(input.shape)),
  );
}

function prepared<Input extends z.ZodObject>(
  definition: ToolDefinition<Input>,
  data: z.output<Input>,
): PreparedCall {
  const run = async (context: ToolContext) => definition.run(data, context);
  const checked = checkedCall(definition, data);
  if (!definition.probe) return { ...checked, run };
  return {
    ...checked,
    run,
    probe: async (context) => definition.probe?.(data, context) ?? "unknown",
  };
}

/** What a definition says of a call for the permission engine. */
export function checkedCall<Input extends z.ZodObject>(
  definition: Pick<ToolDefinition<Input>, "subjects" | "check" | "binds">,
  data: z.output<Input>,
): CheckedCall {
  return {
    data,
    ...(definition.subjects ? { subjects: definition.subjects(data) } : {}),
    ...(definition.check ? { verdict: definition.check(data) } : {}),
    ...(definition.binds ? { binds: definition.binds(data) } : {}),
  };
}

/** What the model must write, which is the schema's input side; `$schema` is noise to a provider. */
export function schemaOf(input: z.ZodObject): Tool["inputSchema"] {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: "input" });
  return schema;
}
