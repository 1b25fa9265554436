import * as z from "zod";
import { CarrelError } from "../../shared/errors.ts";
import type { ForgottenMessage } from "../../shared/memory-api.ts";
import { splitLines } from "../../shared/text.ts";
import { messageIn } from "../../workspace/index/log-units.ts";
import { wordsOf } from "../../workspace/index/words.ts";
import type { RunParts } from "../consolidation/run-parts.ts";
import { asHidden, forgetName } from "./answers.ts";
import { readTexts, type BucketFiles } from "./files.ts";
import { FORGOTTEN, forgottenLine, type HiddenLine } from "./forgotten.ts";
import { repeatedLines, tellsOf } from "./repeated-lines.ts";

/** Lines hidden at a time. */
const MOST_LINES = 5_000;
const MOST_MESSAGES = 1_000;

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/**
 * Keeps lines of session logs from being found that say what was forgotten, wherever it was said or said again: see
 * `MemoryApi`. The logs stay as they are. What was answered to the request to forget is let go of then, also where there is
 * nothing to hide. Safe to repeat with the same `op`.
 */
export async function hideMessages(
  parts: RunParts,
  agent: string,
  messages: readonly ForgottenMessage[],
  { by, op }: { readonly by: string; readonly op: string },
): Promise<{ readonly hidden: number }> {
  const { files, rows, clock, assertThere } = parts;
  const own = `memory-hide:${op}`;
  const known = new Set(await hiddenLines(files));
  const hiding = new Hiding(parts, own, by, known);
  const told = ID.test(agent) ? messages.slice(0, MOST_MESSAGES) : [];
  const meant = told.filter(({ session }) => session !== null && isOf(agent, session));
  for (const [session, said] of Map.groupBy(meant, (message) => message.session)) {
    const path = logOf(session ?? "");
    await hiding.add((await linesOf(files, path, said)).map((line) => ({ path, line })));
  }
  const texts = [...new Set(told.map(({ text }) => text))];
  await repeatedLines(parts, agent, texts, (lines) => hiding.add(lines));
  assertThere();
  const answer = rows.answer(forgetName(op));
  if (answer !== null) rows.setAnswer(forgetName(op), clock.now(), answer);
  const { hidden } = hiding;
  return hidden > 0 ? { hidden } : (asHidden(rows.answer(own)) ?? { hidden: 0 });
}

/** Names lines in the records, each once. */
class Hiding {
  readonly #parts: RunParts;
  readonly #op: string;
  readonly #by: string;
  readonly #known: Set<string>;
  #hidden = 0;

  constructor(parts: RunParts, op: string, by: string, known: Set<string>) {
    this.#parts = parts;
    this.#op = op;
    this.#by = by;
    this.#known = known;
  }

  get hidden(): number {
    return this.#hidden;
  }

  /** Gives how many were not hidden before. */
  async add(found: readonly HiddenLine[]): Promise<number> {
    const { files, rows, clock, assertThere } = this.#parts;
    const fresh = found.filter(({ path, line }) => !this.#known.has(`${line} ${path}`));
    for (let at = 0; at < fresh.length; at += MOST_LINES) {
      const lines = fresh.slice(at, at + MOST_LINES);
      assertThere();
      this.#hidden += lines.length;
      rows.setAnswer(this.#op, clock.now(), { hidden: this.#hidden });
      const changes = [forgottenLine(clock.now(), this.#by, [], lines)];
      await files.change({ by: this.#by, op: `${this.#op}:${this.#known.size}`, changes });
      for (const { path, line } of lines) this.#known.add(`${line} ${path}`);
    }
    return fresh.length;
  }
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
  const wanted = said.map(({ turn, text }) => ({ turn, tells: tellsOf(text) }));
  const found: number[] = [];
  let no = 0;
  for await (const line of logLines(files, path)) {
    no += 1;
    const message = messageIn(line, no);
    if (!message?.said) continue;
    const { turn: spoken } = message.said;
    const words = new Set(wordsOf(message.text));
    if (wanted.some(({ turn, tells }) => tells(message.text, words, turn === spoken)))
      found.push(no);
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
