import { splitLines } from "../../shared/text.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { messageIn, type Message } from "./log-lines.ts";

/** The end of a session's log. */
export type LogEnd = {
  /** The newest ones, oldest first. */
  readonly messages: readonly Message[];
  /** Messages of the whole log; `null` where only its end was read. */
  readonly total: number | null;
  /** Lines of the whole log. */
  readonly lines: number;
};

/** Bytes read at first, at most at once (what one answer holds), and at most in all. */
const BLOCK = 256 * 1024;
const PART_BYTES = 4 * 1024 * 1024;
const MAX_BYTES = 8 * 1024 * 1024;

const LINE_END = 10;

/**
 * The newest `wanted` messages of a log, fewer where its last 8 MiB hold no more. It is read from its end, block by block,
 * however long it is. Throws what the workspace throws.
 */
export async function endOfLog(
  workspace: Pick<Workspace, "page" | "read">,
  path: string,
  wanted: number,
): Promise<LogEnd> {
  const { file, total: lines } = await workspace.page({ path, offset: 0, limit: 1 });
  if (file.type !== "log") {
    const { content } = await workspace.read({ path });
    const all = "text" in content ? messagesIn(content.text) : [];
    return { messages: all.slice(-wanted), total: all.length, lines };
  }
  let bytes: Uint8Array = new Uint8Array();
  let messages: Message[] = [];
  let from = file.size;
  for (let block = BLOCK; from > 0 && messages.length < wanted && bytes.length < MAX_BYTES;) {
    const end = from;
    from = Math.max(0, end - block);
    const { content } = await workspace.read({ path, from });
    bytes = joined(bytesOf(content).subarray(0, end - from), bytes);
    messages = messagesIn(new TextDecoder().decode(wholeLines(bytes, from === 0)));
    block = Math.min(block * 4, PART_BYTES, MAX_BYTES - bytes.length);
  }
  const total = from === 0 ? messages.length : null;
  return { messages: messages.slice(-wanted), total, lines };
}

const messagesIn = (text: string): Message[] =>
  splitLines(text).flatMap((line) => messageIn(line) ?? []);

/** Without the line that the bytes begin in the middle of. */
const wholeLines = (bytes: Uint8Array, isWhole: boolean): Uint8Array =>
  isWhole ? bytes : bytes.subarray(bytes.indexOf(LINE_END) + 1 || bytes.length);

const bytesOf = (content: { readonly text: string } | { readonly bytes: Uint8Array }): Uint8Array =>
  "bytes" in content ? content.bytes : new TextEncoder().encode(content.text);

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
