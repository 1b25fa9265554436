import { systemClock, type Clock } from "../shared/clock.ts";
import { consoleLog, errorFacts, type Log } from "../shared/log.ts";
import type { SessionAddress } from "../shared/session-address.ts";
import type { Snapshot } from "../shared/workspace-snapshot.ts";
import type { Tool } from "../tools/tool.ts";
import type { PreparingScope, SameTools, SnapshotWants } from "../turn/capability.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Catalogue } from "./catalogue/catalogue.ts";
import { catalogueSection } from "./catalogue/section.ts";
import type { SkillsConfig, SkillViewer, ToolGroup } from "./config.ts";
import type { SkillToolParts } from "./tools/parts.ts";
import { createSkillTools } from "./tools/skill-tools.ts";

/** So long a turn waits for repositories that nobody has fetched yet. */
const FIRST_FETCH_MS = 3_000;

export type SkillsCapabilityParts = Pick<
  SkillToolParts,
  "skillsOf" | "canAuthor" | "groups" | "gate" | "binding"
> & {
  readonly catalogues: {
    readonly wants: SnapshotWants;
    readonly of: (snapshot: Snapshot, viewer: SkillViewer) => Promise<Catalogue>;
  };
  readonly config: Pick<SkillsConfig, "catalogueChars" | "environments">;
  /** Fetches the repositories whose time it is, and keeps what they have; costs little when it is none's. Default: there are none. */
  readonly refresh?: (address: SessionAddress) => Promise<void>;
  readonly clock?: Clock;
  readonly log?: Log;
};

/**
 * Skills as an agent has them: their list in the prompt, the tools to load and to write them, and the tools that come with
 * them. What a call may load is what the prompt of its turn lists.
 */
export function createSkillsCapability(parts: SkillsCapabilityParts): SameTools {
  const { catalogues, config, refresh, groups, clock = systemClock, log = consoleLog } = parts;
  /** What the newest turn over these files began with: they are those of one session's object. */
  const newest = new WeakMap<Workspace, Catalogue>();
  const viewed = async (of: Pick<PreparingScope, "workspace" | "address">, files?: Snapshot) => {
    const { agent, user, session } = of.address;
    const snapshot = files ?? (await ask(of.workspace, catalogues.wants));
    return catalogues.of(snapshot, { agent, user, session });
  };
  const refreshed = (address: SessionAddress): Promise<void> =>
    (refresh?.(address) ?? Promise.resolve()).catch((error: unknown) => {
      const { agent, user } = address;
      log("error", "skill_refresh_failed", { agent, user, ...errorFacts(error) });
    });

  /** The catalogue of a turn; where a repository was never fetched, it is first. */
  const prepared = async (scope: PreparingScope): Promise<Catalogue> => {
    const catalogue = await viewed(scope, (await scope.files()) ?? undefined);
    if (!refresh || !catalogue.leftOut.some(({ kind }) => kind === "pending")) return catalogue;
    const done = new AbortController();
    const late = clock.sleep(FIRST_FETCH_MS, AbortSignal.any([done.signal, scope.signal]));
    await Promise.race([refreshed(scope.address), late]);
    done.abort();
    return viewed(scope);
  };

  const own = createSkillTools({
    ...parts,
    environments: config.environments,
    clock,
    log,
    catalogueOf: async (context) => {
      const known = newest.get(context.workspace) ?? (await viewed(context));
      newest.set(context.workspace, known);
      return known;
    },
  });
  const tools = [...own, ...groups.flatMap(toolsOf)];
  return {
    name: "skills",
    wants: catalogues.wants,
    tools: () => tools,
    async sections(scope) {
      const catalogue = await prepared(scope);
      newest.set(scope.workspace, catalogue);
      const section = catalogueSection(catalogue, config.catalogueChars);
      return section ? [section] : [];
    },
    ...(refresh ? { afterTurns: ({ address }) => refreshed(address) } : {}),
  };
}

/** A group's tools, offered only where it is active. */
const toolsOf = ({ name, tools }: ToolGroup): Tool[] =>
  tools.map((tool) => ({ ...tool, group: name }));

/** The files that a catalogue is made of, as they are now, those that users share too. */
async function ask(workspace: Workspace, wants: SnapshotWants): Promise<Snapshot> {
  const { files = [], skills = [] } = wants;
  if (files.length === 0 && skills.length === 0) return { version: "", files: [], lists: [] };
  const request = { known: null, files, lists: [], skills, fresh: true } as const;
  const snapshot = await workspace.snapshot(request);
  if (snapshot === "unchanged") throw new Error("a snapshot is unchanged that nobody has");
  return snapshot;
}
