import * as z from "zod";
import type { Operation, Proposal } from "../../shared/memory-api.ts";
import type { FinishReason } from "../../shared/messages.ts";

/** Operations in one answer, and characters of it: far more than a bucket's memory can need. */
const MOST = 500;
const MOST_CHARS = 2_000_000;

const entry = z.string().trim().min(1).max(20);
const words = z.string().max(20_000);
const section = z
  .string()
  .max(500)
  .nullish()
  .transform((name) => name ?? undefined);
const sources = z
  .array(z.string().trim().max(20))
  .max(200)
  .nullish()
  .transform((given) => given ?? []);
const reason = words.nullish().transform((given) => given ?? "");

const Operation = z.discriminatedUnion("op", [
  z.object({ op: z.literal("keep"), entry }),
  z.object({ op: z.literal("edit"), entry, text: words, section, sources, reason }),
  z.object({ op: z.literal("add"), text: words, section, sources, reason }),
  z.object({ op: z.literal("drop"), entry, reason }),
]);

const Answer = z.object({ operations: z.array(Operation).max(MOST) });

/**
 * What a model's answer says, whole or not at all: an answer that was cut off, is no JSON, or has one operation that is
 * none, is unusable. A fence around the JSON is allowed, nothing else.
 */
export function parseProposal(text: string, finish: FinishReason): Proposal {
  if (finish === "length") return unusable("The answer was cut off at the model's output limit");
  if (finish === "refused") return unusable("The provider filtered the answer");
  if (finish === "tool-calls") return unusable("The model called a tool instead");
  const body = unfenced(text);
  if (body === "") return unusable("The answer is empty");
  if (body.length > MOST_CHARS) return unusable("The answer is too long");
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return unusable("The answer is not JSON");
  }
  const { data, error } = Answer.safeParse(json);
  if (data) return { kind: "operations", operations: data.operations.map(operationOf) };
  const [issue] = error.issues;
  const place = issue?.path.join(".") ?? "";
  return unusable(`The answer is not as asked for${place === "" ? "" : `, at ${place}`}`);
}

const unusable = (why: string): Proposal => ({ kind: "unusable", why });

function operationOf(parsed: z.output<typeof Operation>): Operation {
  if (!("section" in parsed)) return parsed;
  const { section: name, ...rest } = parsed;
  return name === undefined ? rest : { ...rest, section: name };
}

/** Without white space around it, and without one fence. */
function unfenced(text: string): string {
  const body = text.replace(/^\uFEFF/, "").trim();
  const [opening = ""] = /^```(?:json)?[ \t]*\r?\n/i.exec(body) ?? [];
  const isFenced = opening !== "" && body.endsWith("\n```");
  return isFenced ? body.slice(opening.length, -"```".length).trim() : body;
}
