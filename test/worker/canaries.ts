import { unzipSync } from "fflate";
import type { AskAs, Speaker } from "./callers.ts";

/** Whose files these are: a user's with one agent. */
export type Desk = Pick<Speaker, "agent" | "user">;

export const nameOfDesk = ({ agent, user }: Desk): string => `${user} of ${agent}`;

/** Words that only one desk may ever see, and where they were seen. */
export class Canaries {
  readonly #owners: string[] = [];
  readonly #seen = new Set<string>();
  /** Each time that somebody saw another's: who, whose, and where. */
  readonly leaks: string[] = [];

  /** A new one. */
  of(desk: Desk): string {
    this.#owners.push(nameOfDesk(desk));
    return `canary-${String(this.#owners.length - 1).padStart(5, "0")}`;
  }

  ownersIn(text: string): string[] {
    return [
      ...new Set([...text.matchAll(CANARY)].map(([, no]) => this.#owners[Number(no)] ?? "?")),
    ];
  }

  /** Notes what `desk` was shown. */
  shown(desk: Desk, where: string, text: string): void {
    const name = nameOfDesk(desk);
    for (const [canary] of text.matchAll(CANARY)) this.#seen.add(`${name}: ${canary}`);
    for (const owner of this.ownersIn(text))
      if (owner !== name) this.leaks.push(`${name} saw ${owner} in ${where}`);
  }

  /** Those that their own desk has not seen. A search that finds nothing proves nothing. */
  unseen(): string[] {
    return this.#owners.flatMap((owner, no) => {
      const canary = `canary-${String(no).padStart(5, "0")}`;
      return this.#seen.has(`${owner}: ${canary}`) ? [] : [`${owner}: ${canary}`];
    });
  }
}

const CANARY = /canary-(\d{5})/g;

/** Everything that an answer says: status, headers, and the body, unpacked if it is an archive. */
export async function wordsOf(response: Response): Promise<string> {
  const head = JSON.stringify([response.status, ...response.headers]);
  const type = response.headers.get("content-type") ?? "";
  if (response.status === 200 && type.startsWith("text/event-stream"))
    return `${head} ${await untilQuiet(response)}`;
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (type !== "application/zip") return `${head} ${asciiOf(bytes)}`;
  const files = Object.entries(unzipSync(bytes)).map(([path, body]) => `${path} ${asciiOf(body)}`);
  return [head, asciiOf(bytes), ...files].join(" ");
}

/** A tail goes on when all is told: it is left at the end of the last turn, which asks for this. */
async function untilQuiet(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    text += chunk.value;
    if (text.includes(LAST_WORD) && text.includes('"type":"turn-end"', text.lastIndexOf(LAST_WORD)))
      break;
  }
  await reader?.cancel();
  return text;
}

/** Said in the last turn of every session, so that whoever reads its events knows when to stop. */
export const LAST_WORD = "That was all.";

const asciiOf = (bytes: Uint8Array): string => new TextDecoder("latin1").decode(bytes);

/** Asks as the desk's user and notes what came. */
export const askAndNote =
  (ask: AskAs, canaries: Canaries) =>
  async (desk: Desk, path: string, init?: RequestInit): Promise<number> => {
    const response = await ask(desk.user, path, init);
    canaries.shown(desk, `${init?.method ?? "GET"} ${path}`, await wordsOf(response));
    return response.status;
  };

/** Ways to spell what another user has, from where one stands; none leads there. */
export const spellingsOf = (agent: string, other: string): string[] => [
  `../${other}/files/AGENTS.md`,
  `../../${other}/notes/secret.md`,
  `notes/../../${other}/files/notes/secret.md`,
  `./../users/${other}/files`,
  `users/${other}/files/AGENTS.md`,
  `/users/${other}/notes/secret.md`,
  `/v1/agents/${agent}/users/${other}/files/MEMORY.md`,
  `v1/agents/${agent}/users/${other}/files/notes`,
  `agents/${agent}/users/${other}/AGENTS.md`,
  `${other}/AGENTS.md`,
  `${other}/files/notes/secret.md`,
  `~${other}/AGENTS.md`,
  `%2e%2e/${other}/files/AGENTS.md`,
  `..%2f${other}%2ffiles%2fAGENTS.md`,
  `..\\${other}\\files\\AGENTS.md`,
  `sessions/${other}/files/AGENTS.md`,
];

/** Ways to spell the root, one's own files and records, and Carrel's own keys. */
export const ownSpellings = (agents: readonly string[]): string[] => [
  ..."|.|/|./|//|files|users|../|..|blobs|versions/AGENTS.md".split("|"),
  ..."AGENTS.md|/MEMORY.md|./notes//secret.md|pictures/raw.bin|knowledge".split("|"),
  ...agents.map((agent) => `agents/${agent}/sessions/a.log.jsonl`),
];
