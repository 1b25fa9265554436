import * as z from "zod";
import { invalid } from "../shared/errors.ts";
import { checkValue } from "../shared/issue-words.ts";
import type { ContentPart } from "../shared/messages.ts";

const MAX_MESSAGES = 1_000;
const MAX_BLOCKS = 200;
const MAX_SUMMARY = 64_000;
const MAX_RULES = 500;
/** As JSON. */
const MAX_CARRIED = 500_000;

const IMAGES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

const Text = z
  .object({ type: z.literal("text"), text: z.string() })
  .transform(({ text }) => ({ type: "text" as const, text }));

/** Our own spelling of an image and the original's; what is no image is left out. */
const Data = z
  .object({
    type: z.literal("data"),
    media_type: z.string().optional(),
    data: z.string().optional(),
    source: z.object({ media_type: z.string().optional(), data: z.string().optional() }).optional(),
  })
  .transform(({ media_type, data, source }, context): ContentPart | null => {
    const mediaType = media_type ?? source?.media_type ?? "";
    const bytes = data ?? source?.data;
    if (!IMAGES.includes(mediaType) || bytes === undefined || bytes === "") return null;
    if (z.base64().safeParse(bytes).success) return { type: "image", mediaType, data: bytes };
    context.addIssue({ code: "custom", path: ["data"], message: "must be base64" });
    return z.NEVER;
  });

const contentKinds: readonly string[] = ["text", "data"];
const kinds: readonly string[] = [...contentKinds, "thinking", "tool_use", "tool_result"];

/** A block of a kind that means nothing here. */
const Other = (known: readonly string[]) =>
  z
    .looseObject({ type: z.string().refine((type) => !known.includes(type)) })
    .transform((): null => null);

const Content = z
  .array(z.union([Text, Data, Other(contentKinds)], 'must be a block with a "type"'))
  .max(MAX_BLOCKS)
  .transform((blocks) => blocks.filter((block) => block !== null));

const asBlocks = (text: unknown): unknown =>
  typeof text === "string" ? [{ type: "text", text }] : text;

const Thinking = z.object({ type: z.literal("thinking"), thinking: z.string() });

const ToolUse = z.object({
  type: z.literal("tool_use"),
  id: z.string().max(256),
  name: z.string().max(256),
  input: z.unknown(),
});

const ToolResult = z.object({
  type: z.literal("tool_result"),
  id: z.string().max(256),
  name: z.string().max(256).nullish(),
  output: z.preprocess(asBlocks, Content.default([])),
  state: z.string().nullish(),
});

const Block = z.union(
  [Text, Data, Thinking, ToolUse, ToolResult, Other(kinds)],
  'must be a block with a "type"',
);

const Message = z.object({
  role: z
    .string()
    .toUpperCase()
    .pipe(z.enum(["USER", "ASSISTANT", "SYSTEM", "TOOL"])),
  content: z.preprocess(
    asBlocks,
    z
      .array(Block)
      .max(MAX_BLOCKS)
      .transform((blocks) => blocks.filter((block) => block !== null)),
  ),
  timestamp: z.string().nullish(),
});

const Rule = z.object({
  tool_name: z.string().nullish(),
  rule_content: z.string().max(2_000).nullish(),
});

/** A record that takes this key leaves it out without a word: rules left out deny less than was meant. */
const isKept = (rules: unknown): boolean =>
  typeof rules !== "object" || rules === null || !Object.hasOwn(rules, "__proto__");

const Rules = z
  .unknown()
  .refine(isKept, 'must have no key "__proto__": it names no tool')
  .pipe(z.record(z.string(), z.array(Rule).max(MAX_RULES)).nullish())
  .optional();

const Permissions = z.object({
  mode: z.string(),
  working_directories: z.array(z.string()).max(MAX_RULES).nullish(),
  allow_rules: Rules,
  deny_rules: Rules,
  ask_rules: Rules,
});

const Carried = z.record(z.string(), z.unknown()).nullish();

const Document = z.object({
  summary: z.string().max(MAX_SUMMARY).nullish(),
  context: z.array(Message).max(MAX_MESSAGES).nullish(),
  permission_context: Permissions.nullish(),
  tool_context: Carried,
  tasks_context: Carried,
  plan_mode_context: Carried,
});

/** What of a state document means something here. Whose it was is not: that is told by where it is put in. */
export type StateDocument = z.output<typeof Document>;
export type DocumentMessage = z.output<typeof Message>;
export type DocumentPermissions = z.output<typeof Permissions>;
export type DocumentRules = z.output<typeof Rules>;

/**
 * Reads a state document: at most 1,000 messages, of the original's block types. Other fields and types are left out.
 * Throws `CarrelError('invalid')` that names the first thing which is not as it must be, or what is missing where nothing
 * of a session is in it.
 */
export function parseStateDocument(state: unknown): StateDocument {
  const checked = checkValue(Document, state);
  if ("problems" in checked)
    throw invalid(`This is no state of a session. ${checked.problems.slice(0, 1).join()}.`);
  const { data } = checked;
  const { context, summary, permission_context } = data;
  if ((context ?? summary ?? permission_context ?? null) === null)
    throw invalid(
      "This is no state of a session. It must have at least one of context, summary and permission_context.",
    );
  if (JSON.stringify(carriedOf(data)).length > MAX_CARRIED)
    throw invalid(
      `tool_context, tasks_context and plan_mode_context may hold ${MAX_CARRIED} characters together.`,
    );
  return data;
}

/** The parts that are kept as they came. */
export function carriedOf(document: StateDocument): Readonly<Record<string, unknown>> {
  const { tool_context, tasks_context, plan_mode_context, permission_context } = document;
  const { working_directories } = permission_context ?? {};
  const carried = { tool_context, tasks_context, plan_mode_context, working_directories };
  const parts = Object.entries(carried);
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined && part !== null));
}
