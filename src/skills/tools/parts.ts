import type { Clock } from "../../shared/clock.ts";
import type { Log } from "../../shared/log.ts";
import type { SessionAddress } from "../../shared/session-address.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { GateContext, SkillGate, ToolGroup } from "../config.ts";
import type { Skills } from "../skills-client.ts";

/** What the tools of skills work with. */
export type SkillToolParts = {
  /** The catalogue that the caller's turn began with. */
  readonly catalogueOf: (context: Pick<ToolContext, "workspace" | "address">) => Promise<Catalogue>;
  /** The skills of the caller's bucket. */
  readonly skillsOf: (address: SessionAddress) => Pick<Skills, "load" | ReviewMethod>;
  /** Whether the agent may write drafts. */
  readonly canAuthor: boolean;
  readonly groups: readonly ToolGroup[];
  readonly gate: SkillGate | null;
  readonly binding: GateContext["binding"];
  /** For what a draft becomes visible that a gate approves. */
  readonly environments: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
};

type ReviewMethod = "changeDraft" | "candidate" | "decide";
