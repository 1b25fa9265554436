import * as z from "zod";
import { splitLines } from "../../shared/text.ts";

/** Lines of logs that tell of something forgotten, by path. */
export type Forgotten = ReadonlyMap<string, ReadonlySet<number>>;

const Message = z.object({ path: z.string(), line: z.int().positive() });
const Record = z.object({ messages: z.array(Message.nullable().catch(null)) });

/** What the records of forgetting name. A line that is no such record names nothing. */
export function forgottenIn(text: string): Forgotten {
  const lines = new Map<string, Set<number>>();
  for (const { path, line } of splitLines(text).flatMap(messagesIn)) {
    const known = lines.get(path) ?? new Set();
    lines.set(path, known.add(line));
  }
  return lines;
}

function messagesIn(line: string): z.output<typeof Message>[] {
  try {
    const { messages = [] } = Record.safeParse(JSON.parse(line)).data ?? {};
    return messages.filter((message) => message !== null);
  } catch {
    return [];
  }
}

/** Those of the lines that a log of so many has, in order. */
export const hiddenLines = (lines: ReadonlySet<number>, count: number): string =>
  [...lines]
    .filter((no) => no <= count)
    .toSorted((a, b) => a - b)
    .join();
