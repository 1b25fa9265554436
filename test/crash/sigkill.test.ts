import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BareServers } from "../support/bare-server.ts";
import { FaithfulClient } from "../support/faithful-client.ts";
import { checkInvariants } from "../support/invariants.ts";
import { seededRandom } from "../support/random.ts";
import type { DevServer } from "../support/server-process.ts";
import { readSessionFile } from "../support/session-file.ts";

const KILLS = 30;
const SESSIONS = ["red", "green", "blue", "grey"];
const WRITERS_PER_SESSION = 2;
/** A server is killed up to so many events, and up to so many milliseconds more, after it began. */
const EVENTS = 400;
const MORE_MS = 40;

/** Long texts, tools, short ones: each message is one of its own. */
const messages = [
  (id: string) => `Write 70 words for ${id}.`,
  (id: string) => `/tool current_time {}\n/tool list_files {}\n\nfor ${id}`,
  (id: string) => `Count to 40, ${id}.`,
  (id: string) => `Hello from ${id}!`,
];

let state = "";
let servers: BareServers;
let server: DevServer | null = null;

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "carrel-sigkill-"));
  servers = new BareServers(state);
});

afterEach(async () => {
  await server?.kill9();
  rmSync(state, { recursive: true, force: true });
});

/** The server that is there now, or the next one: clients wait for it, as one does for a server that is down. */
class Uptime {
  #up = Promise.withResolvers<DevServer>();
  #heard = 0;
  #enough: { readonly count: number; readonly resolve: () => void } | null = null;

  get server(): Promise<DevServer> {
    return this.#up.promise;
  }

  begins(next: DevServer): void {
    this.#heard = 0;
    this.#up.resolve(next);
  }

  ends(): void {
    this.#up = Promise.withResolvers();
  }

  /** A client heard an event. */
  readonly heard = (): void => {
    this.#heard += 1;
    if (this.#enough && this.#heard >= this.#enough.count) this.#enough.resolve();
  };

  /** Resolves once clients have heard so many events from the server that is up. */
  hear(count: number): Promise<void> {
    return new Promise((resolve) => (this.#enough = { count, resolve }));
  }
}

/** One session with its writers, and a reader that follows it from its first event to its last. */
class Group {
  readonly session: string;
  readonly clients: readonly FaithfulClient[];
  readonly #uptime: Uptime;
  #ticks = 0;

  constructor(session: string, uptime: Uptime) {
    this.session = session;
    this.#uptime = uptime;
    this.clients = Array.from({ length: 1 + WRITERS_PER_SESSION }, () => this.#client());
  }

  get sent() {
    return this.clients.flatMap(({ sent }) => sent);
  }

  /** Each writer sends one message after the other until `isOver`; then the reader sends the last one. */
  async work(isOver: () => boolean): Promise<void> {
    const { heard } = this.#uptime;
    const [reader, ...writers] = this.clients;
    const last = `${this.session}-last`;
    const reading = reader?.follow(
      (event) => event.type === "turn-end" && event.turn === last,
      heard,
    );
    const writing = writers.map(async (writer, at) => {
      for (let no = 0; !isOver(); no++) {
        const id = `${this.session}-${at}-${no}`;
        const message = messages[(no + at) % messages.length]?.(id) ?? id;
        await writer.talk(id, { message }, heard);
      }
    });
    await Promise.all(writing);
    await reader?.post(last, { message: `Goodbye from ${last}.` });
    await reading;
  }

  async violations(): Promise<string[]> {
    const [reader] = this.clients;
    let tables = readSessionFile(state, this.session);
    // What follows a turn waits for a quiet second; each look at the history lets some time pass.
    while (reader && tables && tables.jobs.length > 0) {
      await reader.history();
      tables = readSessionFile(state, this.session);
    }
    if (!reader || !tables) return [`${this.session}: nothing is stored`];
    const found = checkInvariants({
      tables,
      sent: this.sent,
      streams: this.clients.flatMap(({ streams }) => streams),
      replay: await reader.replay(tables.turns.length),
      history: await reader.history(),
      tools: ["current_time", "list_files", "read_file"].map((name) => ({ name, replay: "pure" })),
      crashes: [],
    });
    for (const { id, state: outcome } of tables.turns)
      if (outcome !== "completed") found.push(`${id} ${outcome}`);
    return found.map((what) => `${this.session}: ${what}`);
  }

  #client(): FaithfulClient {
    return new FaithfulClient({
      fetch: async (url, init) => fetch((await this.#uptime.server).url + url, init),
      base: `/v1/agents/main/sessions/${this.session}`,
      breathe: () => new Promise((resolve) => setImmediate(resolve)),
      patience: Number.POSITIVE_INFINITY,
      tick: () => ++this.#ticks,
    });
  }
}

describe("a server that is killed again and again", { timeout: 400_000 }, () => {
  it("[T1, T2, T3, T4, T6, S1, S2] loses nothing, doubles nothing, ends every turn", async () => {
    const random = seededRandom(1);
    const uptime = new Uptime();
    const groups = SESSIONS.map((session) => new Group(session, uptime));
    let kills = 0;
    const work = Promise.all(groups.map((group) => group.work(() => kills === KILLS)));
    for (; kills < KILLS; kills++) {
      const enough = uptime.hear(1 + Math.floor(random() * EVENTS));
      server = await servers.start();
      uptime.begins(server);
      await Promise.race([enough, work]);
      await new Promise((resolve) => setTimeout(resolve, random() * MORE_MS));
      uptime.ends();
      await server.kill9();
    }
    server = await servers.start();
    uptime.begins(server);
    await work;
    const violations = (await Promise.all(groups.map((group) => group.violations()))).flat();
    const sent = groups.flatMap((group) => group.sent);
    const mended = groups.flatMap(({ clients }) => clients).reduce((sum, c) => sum + c.mended, 0);
    console.log(
      `sigkill: ${kills} kills, ${sent.length} turns, ${mended} broken requests mended, ${violations.length} violations`,
    );
    expect(violations).toEqual([]);
  });
});
