import { sessionKey } from "../../shared/ids.ts";
import { errorFacts, type Log } from "../../shared/log.ts";
import type { ContentPart } from "../../shared/messages.ts";
import type { SessionAddress } from "../../shared/session-address.ts";
import { sha256Hex } from "../../shared/sha256.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { ToolOutcome } from "../capability.ts";
import { MAX_RESULT_CHARS, type StoredOutcome } from "../calls/outcomes.ts";
import { EVICTED, type EvictionConfig } from "./config.ts";
import { partsOf } from "./parts.ts";
import { placeholder } from "./placeholder.ts";

/** Of a name in a path. */
const NAME_CHARS = 64;
const HASH_CHARS = 16;

export type Evicting = {
  readonly config: EvictionConfig;
  readonly address: SessionAddress;
  readonly turn: string;
  readonly call: string;
  /** The tool's. */
  readonly name: string;
  readonly workspace: Pick<Workspace, "change">;
  readonly log: Log;
};

/** The tool that shows the model what is in a file: where it is not offered, no result is evicted. */
export const READER = "read_file";

/**
 * The setting that this result is too long for: it has more characters of text than may stay, and its tool is none of the
 * excluded. `null` where it stays, as one that is to be kept does.
 */
export function tooLongFor(
  config: EvictionConfig | undefined,
  { status, content, keep = "" }: ToolOutcome,
  tool: string,
): EvictionConfig | null {
  if (status === "success" && keep !== "") return null;
  if (!config || config.excludedToolNames.includes(tool)) return null;
  // What would be cut is evicted, however much the agent's own limit lets stay.
  const most = Math.min(config.maxResultChars, MAX_RESULT_CHARS);
  const chars = textsOf(content).reduce((sum, text) => sum + text.length, 0);
  return chars > most ? config : null;
}

/**
 * The result with its text in a file: what stays are the ends of the text, and its other parts. The file is named by the
 * call and by what it says, so that doing it again, after a crash too, changes nothing. Where the file cannot be written
 * the result is given back as it was. Never rejects.
 */
export async function evict(outcome: ToolOutcome, evicting: Evicting): Promise<StoredOutcome> {
  const { config, address, turn, call, name, workspace, log } = evicting;
  try {
    const text = readable(textsOf(outcome.content).join("\n"));
    const hash = (await sha256Hex(new TextEncoder().encode(text))).slice(0, HASH_CHARS);
    const stem = `${EVICTED}/${address.session}/${pathName(name)}-${pathName(call)}-${hash}`;
    const { parts, kept } = partsOf(text);
    const paths = parts.map((_, at) =>
      parts.length === 1 ? `${stem}.txt` : `${stem}-${at + 1}.txt`,
    );
    const changes = parts.map((part, at) => {
      const path = paths[at] ?? stem;
      return { kind: "write", path, content: { text: part } } as const;
    });
    const op = `${sessionKey(address)}${turn}/${call}/evicted/${hash}`;
    await workspace.change({ by: "job:eviction", op, changes });
    const notice = placeholder({ tool: name, text, paths, kept, preview: config.previewChars });
    const [path = stem] = paths;
    const { status, activates } = outcome;
    return {
      status,
      ...(activates === undefined ? {} : { activates }),
      content: inPlaceOfText(outcome.content, notice),
      evicted: { path, chars: text.length },
    };
  } catch (error) {
    log("warn", "eviction_failed", { tool: name, turn, ...errorFacts(error) });
    return outcome;
  }
}

const textsOf = (content: readonly ContentPart[]): string[] =>
  content.flatMap((part) => (part.type === "text" ? [part.text] : []));

/** What a text file may hold. */
const readable = (text: string): string => text.toWellFormed().replaceAll("\0", "\u2400");

const pathName = (name: string): string =>
  name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_CHARS) || "_";

/** `notice` where the first text was; everything but text stays. */
function inPlaceOfText(content: readonly ContentPart[], notice: string): ContentPart[] {
  const first = content.findIndex(({ type }) => type === "text");
  return content.flatMap((part, at): ContentPart[] => {
    if (part.type !== "text") return [part];
    return at === first ? [{ type: "text", text: notice }] : [];
  });
}
