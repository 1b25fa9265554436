import type { ModelRequest } from "../../src/model/model.ts";
import { CompactionLab, type Options, type Said } from "./compaction-lab.ts";

/** What a conversation begins with. */
export const GOAL =
  "My goal: move the library to Lisbon by March, and never spend more than 900 euros.";

const prose = "The boxes are packed by shelf, and each has a number on it. ";

/** Answers a question by its number; every third needs a look first. */
export function look(said: string, { messages }: ModelRequest): Said {
  const isNew = messages.at(-1)?.role === "user";
  const no = Number(/no\. (\d+)/.exec(said)?.[1] ?? 1);
  if (isNew && no % 3 === 0)
    return { text: "Let me look.", calls: [{ name: "read_thing", input: { label: `l${no}` } }] };
  return { text: `Answer ${no}. ${prose.repeat(1 + (no % 5))}` };
}

/** A conversation of so many turns that begins with `GOAL`, in which every third uses a tool. */
export async function talk(turns: number, options: Options): Promise<CompactionLab> {
  const talking = new CompactionLab({ answer: look, ...options });
  await talking.say("first", GOAL);
  for (let no = 1; no < turns; no++) await talking.say(`t${no}`, `Question no. ${no}. ${prose}`);
  return talking;
}
