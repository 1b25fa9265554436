import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defaultBucketLimits } from "../../src/workspace/limits.ts";
import { BareServers } from "../support/bare-server.ts";
import { seededRandom } from "../support/random.ts";
import type { DevServer } from "../support/server-process.ts";
import { rebuiltFromR2, type BucketView } from "../support/store-files.ts";
import { Desk, Uptime } from "./workspace-desk.ts";

const KILLS = 30;
const USERS = ["ann", "bob"];
/** A server is killed after up to so many accepted writes. */
const WRITES = 60;
/** Settling begins early, so that kills meet it. */
const env = { SETTLE_QUIET_MS: "50", SETTLE_AT_MOST_MS: "500" };

let state = "";
let servers: BareServers;
let server: DevServer | null = null;

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "carrel-workspace-"));
  servers = new BareServers(state);
});

afterEach(async () => {
  await server?.kill9();
  rmSync(state, { recursive: true, force: true });
});

/** The turns of a log in order, each as often as it ends. */
const endsIn = (log: string): string[] =>
  log
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { kind: string; turn: string })
    .flatMap(({ kind, turn }) => (kind === "end" ? [turn] : []));

const withoutRecords = (files: BucketView["files"]) =>
  Object.fromEntries(Object.entries(files).filter(([path]) => !path.startsWith("agents/")));

const sum = (desks: Iterable<Desk>, of: (desk: Desk) => number): number =>
  [...desks].reduce((total, desk) => total + of(desk), 0);

describe("a workspace whose server is killed again and again", { timeout: 400_000 }, () => {
  it("[W6] [W9] [W10] [W11] [W15] loses no accepted change, and R2 alone gives the same files", async () => {
    const random = seededRandom(7);
    const uptime = new Uptime();
    const desks = new Map(USERS.map((user) => [user, new Desk(user, uptime, random)]));
    let kills = 0;
    const work = Promise.all([...desks.values()].map((desk) => desk.work(() => kills === KILLS)));
    for (; kills < KILLS; kills++) {
      const enough = uptime.accept(1 + Math.floor(random() * WRITES));
      server = await servers.start({ env });
      uptime.begins(server);
      await Promise.race([enough, work]);
      uptime.ends();
      await server.kill9();
    }
    server = await servers.start({ env });
    uptime.begins(server);
    await work;
    const shown = new Map<string, BucketView>();
    for (const [user, desk] of desks) {
      const { files, history, log } = await desk.settled();
      shown.set(user, { files, history });
      expect(withoutRecords(files)).toEqual(desk.files);
      expect(endsIn(log)).toEqual(desk.turns);
      // The newest, and those before it.
      expect(history.length).toBe(Math.min(desk.overrides, 1 + defaultBucketLimits.versions));
    }
    await server.stop();
    for (const user of USERS) expect(await rebuiltFromR2(state, user)).toEqual(shown.get(user));
    const all = [...desks.values()];
    console.log(
      `workspace sigkill: ${kills} kills, ${sum(all, (desk) => desk.writes)} accepted writes ` +
        `(${sum(all, (desk) => desk.blobs)} of bytes, ${sum(all, (desk) => desk.overrides)} of AGENTS.md, ` +
        `${sum(all, (desk) => desk.whiteouts)} whiteouts), ${sum(all, (desk) => desk.moves)} moves, ` +
        `${uptime.broken} broken requests mended`,
    );
  });
});
