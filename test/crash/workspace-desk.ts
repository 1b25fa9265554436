import type { TreeAnswer } from "../../src/shared/workspace-api.ts";
import type { FileVersion } from "../../src/shared/workspace-files.ts";
import { type DevServer } from "../support/dev-server.ts";
import { FaithfulClient } from "../support/faithful-client.ts";
import { seededRandom } from "../support/random.ts";
import { spellFile, template, type BucketView } from "../support/store-files.ts";

const NOTES = 3;
/** Each writer's files; it writes them again and again. */
const FILES = 6;
const MOST_BYTES = 200_000;
const OVERRIDDEN = "AGENTS.md";
const RESET = "knowledge/turns.md";
const LOG = "agents/main/sessions/log.log.jsonl";

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The server that is there now, or the next one, and how much was accepted by it. */
export class Uptime {
  #up = Promise.withResolvers<DevServer>();
  #accepted = 0;
  #enough: { readonly count: number; readonly resolve: () => void } | null = null;
  broken = 0;

  begins(next: DevServer): void {
    this.#accepted = 0;
    this.#up.resolve(next);
  }

  ends(): void {
    this.#up = Promise.withResolvers();
  }

  accepted(): void {
    this.#accepted += 1;
    if (this.#enough && this.#accepted >= this.#enough.count) this.#enough.resolve();
  }

  accept(count: number): Promise<void> {
    return new Promise((resolve) => (this.#enough = { count, resolve }));
  }

  /** Asks until a server answers. */
  async ask(user: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("x-carrel-user", user);
    for (;;) {
      const { url } = await this.#up.promise;
      try {
        const response = await fetch(`${url}/v1/agents/main${path}`, { ...init, headers });
        const body = await response.arrayBuffer();
        if (response.status < 500)
          return new Response(response.status === 304 ? null : body, {
            status: response.status,
            headers: response.headers,
          });
      } catch {
        // The server was killed; the next one is asked.
      }
      this.broken += 1;
      await nextTurn();
    }
  }
}

/** One user: writers that each own some files, and somebody who chats and lets the agent move a file. */
export class Desk {
  readonly turns: string[] = [];
  writes = 0;
  blobs = 0;
  overrides = 0;
  whiteouts = 0;
  moves = 0;
  readonly #user: string;
  readonly #uptime: Uptime;
  readonly #random: () => number;
  readonly #chat: FaithfulClient;
  readonly #noise: Uint8Array<ArrayBuffer>;
  /** All that shows, after what was accepted last. */
  readonly #files = new Map<string, string>();

  constructor(user: string, uptime: Uptime, random: () => number) {
    this.#user = user;
    this.#uptime = uptime;
    this.#random = random;
    const next = seededRandom(1);
    this.#noise = Uint8Array.from({ length: 2 * MOST_BYTES }, () => Math.floor(next() * 256));
    this.#chat = new FaithfulClient({
      fetch: (url, init) => uptime.ask(user, url, init),
      base: "/sessions/log",
      breathe: nextTurn,
      patience: Number.POSITIVE_INFINITY,
    });
    for (const path of template.paths) this.#showTemplate(path);
  }

  get files(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#files);
  }

  async work(isOver: () => boolean): Promise<void> {
    const notes = Array.from({ length: NOTES }, (_, writer) => this.#note(writer, isOver));
    await Promise.all([...notes, this.#define(isOver), this.#talk(isOver)]);
  }

  async #note(writer: number, isOver: () => boolean): Promise<void> {
    for (let no = 0; !isOver(); no++) {
      const path = `notes/${writer}/${no % FILES}.${no % 2 === 0 ? "md" : "bin"}`;
      const key = `${writer}-${no}`;
      if (this.#random() < 0.15 && this.#files.has(path)) await this.#delete(path, key);
      else if (no % 2 === 0)
        await this.#put(path, `${writer} ${no}\n`.repeat(1 + this.#upTo(500)), key);
      else await this.#put(path, this.#someBytes(), key);
    }
  }

  /** Overrides one file of the template, and overrides, deletes and resets another. */
  async #define(isOver: () => boolean): Promise<void> {
    for (let no = 0; !isOver(); no++) {
      const key = `define-${no}`;
      const what = this.#random();
      if (what < 0.4) {
        await this.#put(OVERRIDDEN, `# Version ${no}\n`, key);
        this.overrides += 1;
      } else if (what < 0.6) await this.#put(RESET, `# Mine ${no}\n`, key);
      else if (what < 0.8 && this.#files.has(RESET)) {
        await this.#delete(RESET, key);
        this.whiteouts += 1;
      } else {
        await this.#change(`${RESET}?reset`, { method: "DELETE" }, key);
        this.#showTemplate(RESET);
      }
    }
  }

  async #talk(isOver: () => boolean): Promise<void> {
    const bytes = this.#someBytes();
    await this.#put("moved/0.bin", bytes, "moved");
    for (let no = 0; !isOver(); no++) {
      const turn = `${this.#user}-${no}`;
      const [from, to] = [`moved/${this.moves}.bin`, `moved/${this.moves + 1}.bin`];
      const isMove = no % 2 === 1;
      const move = `/tool move_file ${JSON.stringify({ from, to })}`;
      await this.#chat.talk(turn, { message: isMove ? move : `Hello from ${turn}!` });
      this.turns.push(turn);
      if (!isMove) continue;
      this.moves += 1;
      this.#files.delete(from);
      this.#files.set(to, spellFile("own", bytes));
    }
  }

  async #put(path: string, body: string | Uint8Array<ArrayBuffer>, key: string): Promise<void> {
    await this.#change(path, { method: "PUT", body }, key);
    this.#files.set(path, spellFile("own", Buffer.from(body as Uint8Array)));
    if (typeof body !== "string") this.blobs += 1;
  }

  async #delete(path: string, key: string): Promise<void> {
    await this.#change(path, { method: "DELETE" }, key);
    this.#files.delete(path);
  }

  async #change(path: string, init: RequestInit, key: string): Promise<void> {
    const headers = { "idempotency-key": key };
    const answer = await this.#uptime.ask(this.#user, `/files/${path}`, { ...init, headers });
    if (!answer.ok) throw new Error(`${init.method} ${path}: ${await answer.text()}`);
    this.writes += 1;
    this.#uptime.accepted();
  }

  #showTemplate(path: string): void {
    const content = template.read(path as (typeof template.paths)[number]);
    if (!content) throw new Error(`${path} is not in the template`);
    const bytes = "text" in content ? Buffer.from(content.text) : content.bytes;
    this.#files.set(path, spellFile("template", bytes));
  }

  #upTo = (most: number): number => Math.floor(this.#random() * most);

  #someBytes(): Uint8Array<ArrayBuffer> {
    const from = this.#upTo(MOST_BYTES);
    return this.#noise.slice(from, from + this.#upTo(MOST_BYTES));
  }

  /** All files as the server shows them, once nothing is left to be settled or exported; and the log, apart. */
  async settled(): Promise<BucketView & { readonly log: string }> {
    for (;;) {
      const log = Buffer.from(await this.#bytes(LOG)).toString();
      const { usage } = await this.#json<{ usage: { unsettled: number } }>("/doctor");
      if (log.includes(`"turn":"${this.turns.at(-1)}"`) && usage.unsettled === 0) break;
    }
    const tree = await this.#json<TreeAnswer>("/files?recursive=true&limit=2000");
    const files: Record<string, string> = {};
    for (const { path, layer } of tree.entries)
      files[path] = spellFile(layer, await this.#bytes(path));
    type History = { readonly versions: readonly FileVersion[] };
    const { versions } = await this.#json<History>(`/files/${OVERRIDDEN}?history`);
    return { files, history: versions, log: Buffer.from(await this.#bytes(LOG)).toString() };
  }

  async #json<Body>(path: string): Promise<Body> {
    return (await (await this.#uptime.ask(this.#user, path)).json()) as Body;
  }

  async #bytes(path: string): Promise<Uint8Array> {
    return (await this.#uptime.ask(this.#user, `/files/${path}`)).bytes();
  }
}
