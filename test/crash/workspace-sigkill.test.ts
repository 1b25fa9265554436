import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TreeAnswer } from "../../src/shared/workspace-api.ts";
import { type DevServer, startDevServer } from "../support/dev-server.ts";
import { FaithfulClient } from "../support/faithful-client.ts";
import { seededRandom } from "../support/random.ts";
import { rebuiltFromR2, type StoreFiles } from "../support/store-files.ts";

const KILLS = 30;
const USERS = ["ann", "bob"];
const WRITERS = 4;
/** Each writer's files; it writes them again and again. */
const FILES = 6;
/** A server is killed after up to so many accepted writes. */
const WRITES = 60;
/** Settling begins early, so that kills meet it. */
const env = { SETTLE_QUIET_MS: "50", SETTLE_AT_MOST_MS: "500" };

let state = "";
let server: DevServer | null = null;

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "carrel-workspace-"));
});

afterEach(async () => {
  await server?.kill9();
  rmSync(state, { recursive: true, force: true });
});

/** The server that is there now, or the next one, and how much was accepted by it. */
class Uptime {
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
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** One user: writers that each own some files, and somebody who chats. `files` is what was accepted last. */
class Desk {
  readonly files = new Map<string, string>();
  readonly turns: string[] = [];
  readonly #user: string;
  readonly #uptime: Uptime;
  readonly #random: () => number;
  readonly #chat: FaithfulClient;
  writes = 0;

  constructor(user: string, uptime: Uptime, random: () => number) {
    this.#user = user;
    this.#uptime = uptime;
    this.#random = random;
    this.#chat = new FaithfulClient({
      fetch: (url, init) => uptime.ask(user, url, init),
      base: "/sessions/log",
      breathe: () => new Promise((resolve) => setImmediate(resolve)),
      patience: Number.POSITIVE_INFINITY,
    });
  }

  async work(isOver: () => boolean): Promise<void> {
    const writers = Array.from({ length: WRITERS }, (_, at) => this.#write(at, isOver));
    const talk = async () => {
      for (let no = 0; !isOver(); no++) {
        const turn = `${this.#user}-${no}`;
        await this.#chat.talk(turn, { message: `Hello from ${turn}!` });
        this.turns.push(turn);
      }
    };
    await Promise.all([...writers, talk()]);
  }

  async #write(writer: number, isOver: () => boolean): Promise<void> {
    for (let no = 0; !isOver(); no++) {
      const path = `notes/${writer}/${no % FILES}.md`;
      const key = { "idempotency-key": `${writer}-${no}` };
      if (this.#random() < 0.15 && this.files.has(path)) {
        await this.#uptime.ask(this.#user, `/files/${path}`, { method: "DELETE", headers: key });
        this.files.delete(path);
      } else {
        const text = `${writer} ${no}\n`.repeat(1 + Math.floor(this.#random() * 500));
        const put = { method: "PUT", body: text, headers: key };
        const answer = await this.#uptime.ask(this.#user, `/files/${path}`, put);
        if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
        this.files.set(path, text);
      }
      this.writes += 1;
      this.#uptime.accepted();
    }
  }

  /** All own files as the server gives them, once nothing is left to be settled or exported. */
  async settled(): Promise<StoreFiles> {
    for (;;) {
      const log = await this.#text("agents/main/sessions/log.log.jsonl");
      const doctor = await this.#json<{ usage: { unsettled: number } }>("/doctor");
      const isExported = log.includes(`"turn":"${this.turns.at(-1)}"`);
      if (isExported && doctor.usage.unsettled === 0) break;
    }
    const tree = await this.#json<TreeAnswer>("/files?recursive=true&layer=own&limit=2000");
    const files: Record<string, string> = {};
    for (const { path } of tree.entries) files[path] = await this.#text(path);
    return files;
  }

  async #json<Body>(path: string): Promise<Body> {
    return (await (await this.#uptime.ask(this.#user, path)).json()) as Body;
  }

  #text = async (path: string): Promise<string> =>
    (await this.#uptime.ask(this.#user, `/files/${path}`)).text();
}

/** The turns of a log in order, each as often as it ends. */
const endsIn = (log: string): string[] =>
  log
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { kind: string; turn: string })
    .flatMap(({ kind, turn }) => (kind === "end" ? [turn] : []));

describe("a workspace whose server is killed again and again", { timeout: 400_000 }, () => {
  it("[W9, W10, W11] loses no accepted write, and R2 alone gives the same files", async () => {
    const random = seededRandom(7);
    const uptime = new Uptime();
    const desks = new Map(USERS.map((user) => [user, new Desk(user, uptime, random)]));
    let kills = 0;
    const work = Promise.all([...desks.values()].map((desk) => desk.work(() => kills === KILLS)));
    for (; kills < KILLS; kills++) {
      const enough = uptime.accept(1 + Math.floor(random() * WRITES));
      server = await startDevServer(state, { env });
      uptime.begins(server);
      await Promise.race([enough, work]);
      uptime.ends();
      await server.kill9();
    }
    server = await startDevServer(state, { env });
    uptime.begins(server);
    await work;
    const shown = new Map<string, StoreFiles>();
    for (const [user, desk] of desks) {
      const files = await desk.settled();
      shown.set(user, files);
      const notes = Object.entries(files).filter(([path]) => path.startsWith("notes/"));
      expect(Object.fromEntries(notes)).toEqual(Object.fromEntries(desk.files));
      expect(endsIn(files["agents/main/sessions/log.log.jsonl"] ?? "")).toEqual(desk.turns);
    }
    await server.stop();
    for (const user of USERS) expect(await rebuiltFromR2(state, user)).toEqual(shown.get(user));
    const writes = [...desks.values()].reduce((sum, desk) => sum + desk.writes, 0);
    console.log(
      `workspace sigkill: ${kills} kills, ${writes} accepted writes, ${uptime.broken} broken requests mended`,
    );
  });
});
