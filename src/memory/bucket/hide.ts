import * as z from "zod";
import { CarrelError } from "../../shared/errors.ts";
import type { ForgottenMessage } from "../../shared/memory-api.ts";
import { splitLines } from "../../shared/text.ts";
import { messageIn } from "../../workspace/index/log-units.ts";
import { wordsOf } from "../../workspace/index/words.ts";
import type { RunParts } from "../consolidation/run-parts.ts";
import { shareOf } from "../consolidation/text-gates.ts";
import { asHidden } from "./answers.ts";
import { readTexts, type BucketFiles } from "./files.ts";
import { FORGOTTEN, forgottenLine, type HiddenLine } from "./forgotten.ts";

/** So much of what was forgotten a message of its turn must say; and one of another turn, of three words at least. */
const SAME_TURN = 0.6;
const OTHER_TURN = 0.8;
const LEAST_WORDS = 3;

/** Messages looked for, and lines hidden, in one call. */
const MOST_MESSAGES = 1_000;
const MOST_LINES = 5_000;

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/**
 * Keeps lines of session logs from being found that say what was forgotten: see `MemoryApi`. The logs stay as they are.
 * Safe to repeat with the same `op`.
 */
export async function hideMessages(
  { files, rows, clock, assertThere }: RunParts,
  agent: string,
  messages: readonly ForgottenMessage[],
  { by, op }: { readonly by: string; readonly op: string },
): Promise<{ readonly hidden: number }> {
  const own = `memory-hide:${op}`;
  const known = await hiddenLines(files);
  const meant = messages.slice(0, MOST_MESSAGES).filter(({ session }) => isOf(agent, session));
  const found: HiddenLine[] = [];
  for (const [session, said] of Map.groupBy(meant, (message) => message.session)) {
    const path = logOf(session);
    for (const line of await linesOf(files, path, said))
      if (!known.has(`${line} ${path}`)) found.push({ path, line });
  }
  const lines = found.slice(0, MOST_LINES);
  if (lines.length === 0) return asHidden(rows.answer(own)) ?? { hidden: 0 };
  const hidden = { hidden: lines.length };
  assertThere();
  rows.setAnswer(own, clock.now(), hidden);
  const changes = [forgottenLine(clock.now(), by, [], lines)];
  await files.change({ by, op: own, changes });
  return hidden;
}

const isOf = (agent: string, session: string): boolean => {
  const [of, id, ...rest] = session.split("/");
  return of === agent && rest.length === 0 && ID.test(agent) && ID.test(id ?? "");
};

/** The log of a session that is named `<agent>/<session>`. */
function logOf(session: string): string {
  const [agent = "", id = ""] = session.split("/");
  return `agents/${agent}/sessions/${id}.log.jsonl`;
}

const Hidden = z.object({ messages: z.array(z.object({ path: z.string(), line: z.int() })) });

/** Lines that are hidden already, as `<line> <path>`. */
async function hiddenLines(files: BucketFiles): Promise<ReadonlySet<string>> {
  const file = (await readTexts(files, [FORGOTTEN])).get(FORGOTTEN);
  const parsed = splitLines(file?.text ?? "").flatMap((line) => {
    const { data } = Hidden.safeParse(jsonIn(line));
    return data?.messages ?? [];
  });
  return new Set(parsed.map(({ path, line }) => `${line} ${path}`));
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The numbers of those lines of a log by which search could find any of it; none where there is no log. */
async function linesOf(
  files: BucketFiles,
  path: string,
  said: readonly ForgottenMessage[],
): Promise<readonly number[]> {
  const wanted = said.map(({ turn, text }) => ({ turn, text, words: new Set(wordsOf(text)).size }));
  const found: number[] = [];
  let no = 0;
  for await (const line of logLines(files, path)) {
    no += 1;
    const message = messageIn(line, no);
    if (!message?.said) continue;
    const { turn: spoken } = message.said;
    const words = new Set(wordsOf(message.text));
    const tells = wanted.some(({ turn, text, words: count }) => {
      const share = count === 0 ? Number(message.text.includes(text)) : shareOf(text, words);
      return turn === spoken ? share >= SAME_TURN : count >= LEAST_WORDS && share >= OTHER_TURN;
    });
    if (tells) found.push(no);
  }
  return found;
}

/** The lines of a log, read part by part. */
async function* logLines(files: BucketFiles, path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for (let from: number | null = 0; from !== null;) {
    const part = await partOf(files, path, from);
    if (part === null) return;
    const text = rest + decoder.decode(part.bytes, { stream: part.next !== null });
    const lines = text.split("\n");
    rest = part.next === null ? "" : (lines.pop() ?? "");
    yield* lines;
    from = part.next;
  }
}

async function partOf(files: BucketFiles, path: string, from: number) {
  try {
    const { content, next } = await files.read({ path, layer: "own", from });
    const bytes = "bytes" in content ? content.bytes : new TextEncoder().encode(content.text);
    return { bytes, next };
  } catch (error) {
    if (error instanceof CarrelError && error.code === "not_found") return null;
    throw error;
  }
}
