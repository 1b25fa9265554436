import { describe, expect, it } from "vitest";
import type { Snapshot } from "../../src/shared/workspace-snapshot.ts";
import { createSkillsCapability, type SkillsCapabilityParts } from "../../src/skills/capability.ts";
import type { Catalogue, CatalogueSkill } from "../../src/skills/catalogue/catalogue.ts";
import { defaultSkills } from "../../src/skills/config.ts";
import { currentTime } from "../../src/tools/current-time.ts";
import type { AfterTurnsScope, PreparingScope, SameTools } from "../../src/turn/capability.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { noWorkspace } from "../support/no-workspace.ts";
import { toolContext } from "../support/tool-context.ts";
import { quietSession } from "../support/quiet-session.ts";
import { refusalOf } from "./tools/skills-desk.ts";

const skill = (name: string): CatalogueSkill => ({
  name,
  id: `${name}_own`,
  description: `All about ${name}.`,
  source: { kind: "layer", layer: "own" },
  directory: `skills/${name}`,
  warnings: [],
  provenance: null,
});

const pending = {
  what: "team",
  name: null,
  kind: "pending",
  why: "It was not fetched yet.",
} as const;

const snapshot = (version: string): Snapshot => ({ version, files: [], lists: [] });

/** A capability whose catalogues are told by the version of the snapshot, and what it asks for. */
class Desk {
  readonly clock = new ManualClock();
  readonly log: string[] = [];
  readonly asked: string[] = [];
  readonly catalogues = new Map<string, Catalogue>([
    ["a", { skills: [skill("pdf")], leftOut: [] }],
    ["b", { skills: [skill("docx")], leftOut: [] }],
    ["none", { skills: [], leftOut: [] }],
    ["unfetched", { skills: [], leftOut: [pending] }],
  ]);
  /** What the workspace shows when it is asked apart from a turn. */
  now = "a";

  capability(given: Partial<SkillsCapabilityParts> = {}): SameTools {
    return createSkillsCapability({
      catalogues: {
        wants: { files: [], skills: ["skills"] },
        of: async ({ version }, { user }) => {
          this.asked.push(`${version} for ${user}`);
          return this.catalogues.get(version) ?? { skills: [], leftOut: [] };
        },
      },
      skillsOf: () => ({
        load: async () => ({ file: null, paths: ["SKILL.md"] }),
        changeDraft: () => Promise.reject(new Error("no drafts here")),
        candidate: () => Promise.reject(new Error("no drafts here")),
        decide: () => Promise.reject(new Error("no drafts here")),
      }),
      canAuthor: true,
      groups: [],
      gate: null,
      binding: () => undefined,
      config: defaultSkills,
      clock: this.clock,
      log: (level, event, facts) =>
        void this.log.push(`${level} ${event} ${JSON.stringify(facts)}`),
      ...given,
    });
  }

  workspace(): Workspace {
    return { ...noWorkspace, snapshot: () => Promise.resolve(snapshot(this.now)) };
  }

  scope(version: string | null, workspace = this.workspace(), user = "ann"): PreparingScope {
    const { signal } = new AbortController();
    return {
      address: { agent: "main", user, session: "s1" },
      turn: "t",
      now: () => 0,
      zone: "UTC",
      workspace,
      signal,
      session: quietSession,
      end: () => null,
      files: () => Promise.resolve(version === null ? null : snapshot(version)),
    };
  }

  async names(capability: SameTools, scope: PreparingScope): Promise<string[]> {
    const sections = (await capability.sections?.(scope)) ?? [];
    return [...JSON.stringify(sections).matchAll(/\b(pdf|docx)_own\b/g)].map(([id]) => id);
  }
}

const load = (capability: SameTools, skillId: string, workspace: Workspace, user = "ann") => {
  const tool = capability.tools().find(({ name }) => name === "load_skill_through_path");
  if (!tool || tool.runsOn === "client") throw new Error("there is no such tool");
  const address = { agent: "main", user, session: "s1" };
  return refusalOf(tool.prepare({ skillId }).run(toolContext({ workspace, address })));
};

describe("the capability of skills", () => {
  it("[K3] lists the skills of the turn's files, and adds nothing where there are none", async () => {
    const desk = new Desk();
    const capability = desk.capability();
    expect(capability.name).toBe("skills");
    expect(capability.wants).toEqual({ files: [], skills: ["skills"] });
    expect(await desk.names(capability, desk.scope("a"))).toEqual(["pdf_own"]);
    expect(await capability.sections?.(desk.scope("none"))).toEqual([]);
    expect(desk.asked).toEqual(["a for ann", "none for ann"]);
  });

  it("[C2] loads what the prompt of the newest turn lists, without asking again", async () => {
    const desk = new Desk();
    const capability = desk.capability();
    const workspace = desk.workspace();
    await capability.sections?.(desk.scope("a", workspace));
    expect(await load(capability, "pdf", workspace)).toContain("has no file");
    expect(await load(capability, "docx", workspace)).toContain("Your skills: pdf_own");
    await capability.sections?.(desk.scope("b", workspace));
    expect(await load(capability, "pdf", workspace)).toContain("Your skills: docx_own");
    expect(desk.asked).toHaveLength(2);
  });

  it("[I1] keeps the catalogues of callers apart", async () => {
    const desk = new Desk();
    const capability = desk.capability();
    const [ann, ben] = [desk.workspace(), desk.workspace()];
    await capability.sections?.(desk.scope("a", ann));
    await capability.sections?.(desk.scope("b", ben, "ben"));
    expect(await load(capability, "docx", ann)).toContain("Your skills: pdf_own");
    expect(await load(capability, "pdf", ben, "ben")).toContain("Your skills: docx_own");
  });

  it("[T3] asks for the files where it knows of no turn, once", async () => {
    const desk = new Desk();
    const capability = desk.capability();
    const workspace = desk.workspace();
    desk.now = "b";
    expect(await load(capability, "pdf", workspace, "ben")).toContain("Your skills: docx_own");
    expect(await load(capability, "docx", workspace, "ben")).toContain("has no file");
    expect(desk.asked).toEqual(["b for ben"]);
    expect(await desk.names(capability, desk.scope(null))).toEqual(["docx_own"]);
  });

  it("offers the same tools in every turn, those of groups marked with theirs", () => {
    const groups = [{ name: "forms", tools: [currentTime], skills: ["pdf"] }];
    const capability = new Desk().capability({ groups });
    const offered = capability.tools();
    expect(offered.map(({ name, group }) => [name, group])).toEqual([
      ["load_skill_through_path", undefined],
      ["propose_skill", undefined],
      ["skill_manage", undefined],
      ["current_time", "forms"],
    ]);
    expect(capability.tools()).toBe(offered);
    expect(currentTime.group).toBeUndefined();
  });
});

describe("repositories that nobody has fetched yet", () => {
  it("[K1] are fetched first, and what they have is in the first prompt", async () => {
    const desk = new Desk();
    const refreshed: string[] = [];
    const capability = desk.capability({ refresh: async ({ user }) => void refreshed.push(user) });
    expect(await desk.names(capability, desk.scope("unfetched"))).toEqual(["pdf_own"]);
    expect(refreshed).toEqual(["ann"]);
    expect(await desk.names(capability, desk.scope("a"))).toEqual(["pdf_own"]);
    expect([refreshed, desk.clock.sleeping]).toEqual([["ann"], 0]);
  });

  it("[K1] hold a turn up for 3 s at most, or fail without harm", async () => {
    const desk = new Desk();
    desk.now = "none";
    const slow = desk.capability({ refresh: () => new Promise(() => {}) });
    const names = desk.names(slow, desk.scope("unfetched"));
    await desk.clock.pass(2_999);
    expect(desk.clock.sleeping).toBe(1);
    await desk.clock.pass(1);
    expect(await names).toEqual([]);
    const broken = desk.capability({ refresh: () => Promise.reject(new Error("no network")) });
    expect(await desk.names(broken, desk.scope("unfetched"))).toEqual([]);
    expect(desk.log).toEqual([expect.stringMatching(/skill_refresh_failed.*no network/)]);
  });

  it("are looked after when turns have ended, which never fails for them", async () => {
    const desk = new Desk();
    let times = 0;
    const refresh = async () => {
      times += 1;
      throw new Error("no network");
    };
    const { address, now, zone, workspace, signal } = desk.scope("a");
    const told = { opening: "", title: "", learn: () => {} };
    const scope: AfterTurnsScope = { address, now, zone, workspace, signal, ...told };
    await desk.capability({ refresh }).afterTurns?.(scope, []);
    expect([times, desk.log.length]).toEqual([1, 1]);
    expect(desk.capability()).not.toHaveProperty("afterTurns");
  });
});
