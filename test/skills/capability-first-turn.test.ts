import { describe, expect, it } from "vitest";
import { createCatalogues } from "../../src/skills/catalogue/build.ts";
import { createSkillsCapability } from "../../src/skills/capability.ts";
import { defaultSkills } from "../../src/skills/config.ts";
import type { PreparingScope } from "../../src/turn/capability.ts";
import type { Snapshot } from "../../src/shared/workspace-snapshot.ts";
import { saying, ScriptedRepository, SyncBench } from "./repositories/sync/bench.ts";
import { quietSession } from "../support/quiet-session.ts";

describe("the first turn of an agent with a repository", () => {
  it("[C2] [K2] lists what it brings, and so does the next one, without asking it again", async () => {
    const bench = new SyncBench();
    const repository = new ScriptedRepository("house").put("1", saying("pdf", "Do it."));
    const sync = bench.sync(repository);
    const sources = { own: true, dynamic: true };
    const catalogues = createCatalogues({
      config: defaultSkills,
      repositories: [repository],
      sources,
    });
    let refreshed = 0;
    const capability = createSkillsCapability({
      catalogues,
      config: defaultSkills,
      canAuthor: false,
      groups: [],
      gate: null,
      binding: () => undefined,
      skillsOf: () => {
        throw new Error("nothing is loaded here");
      },
      refresh: async () => {
        refreshed += 1;
        await sync.syncIfDue();
      },
      clock: bench.lab.clock,
      log: () => {},
    });
    const workspace = bench.lab.workspace();
    const { files = [], skills = [] } = catalogues.wants;
    const request = { known: null, files, lists: [], skills };
    const scope = (): PreparingScope => ({
      address: { agent: "main", user: "ann", session: "s1" },
      turn: "t",
      now: () => 0,
      zone: "UTC",
      workspace,
      signal: new AbortController().signal,
      session: quietSession,
      end: () => null,
      files: async () => (await workspace.snapshot(request)) as Snapshot,
    });
    for (let turn = 0; turn < 2; turn++) {
      const [section] = (await capability.sections?.(scope())) ?? [];
      expect(JSON.stringify(section?.entries)).toContain("pdf_house");
    }
    expect(refreshed).toBe(1);
  });
});
