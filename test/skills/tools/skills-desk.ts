import { bucketPrefix, type BucketKey } from "../../../src/shared/bucket-key.ts";
import type { SessionAddress } from "../../../src/shared/session-address.ts";
import { BucketSkills } from "../../../src/skills/bucket/bucket-skills.ts";
import { createSkillsCapability } from "../../../src/skills/capability.ts";
import { createCatalogues } from "../../../src/skills/catalogue/build.ts";
import { defaultSkills, type SkillGate, type ToolGroup } from "../../../src/skills/config.ts";
import type { Skills } from "../../../src/skills/skills-client.ts";
import type { Tool, ToolContext, ToolOutput } from "../../../src/tools/tool.ts";
import type { SameTools } from "../../../src/turn/capability.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import { BY, type Files } from "../../support/bucket-parts.ts";
import { toolContext } from "../../support/tool-context.ts";
import { WorkspaceLab } from "../../support/workspace-lab.ts";

/** A SKILL.md. */
export const document = (name: string, body = `# ${name}\n\nDo it.\n`): string =>
  `---\nname: ${name}\ndescription: All about ${name}.\n---\n\n${body}`;

export type SkillsDeskOptions = {
  readonly template?: Files;
  readonly gate?: SkillGate | null;
  readonly groups?: readonly ToolGroup[];
  readonly canAuthor?: boolean;
};

const home = ({ agent, user }: Pick<SessionAddress, "agent" | "user">): BucketKey =>
  bucketPrefix({ scope: "USER", agent, user });

/** The skills of real buckets as an agent has them; each use of a tool is a turn of its own. */
export class SkillsDesk {
  readonly lab: WorkspaceLab;
  readonly capability: SameTools;
  readonly log: string[] = [];
  #calls = 0;

  constructor({
    template = {},
    gate = null,
    groups = [],
    canAuthor = true,
  }: SkillsDeskOptions = {}) {
    this.lab = new WorkspaceLab({ template });
    const sources = { own: true, dynamic: true };
    this.capability = createSkillsCapability({
      catalogues: createCatalogues({ config: defaultSkills, repositories: [], sources }),
      skillsOf: (address) => this.skills(address),
      canAuthor,
      groups,
      gate,
      binding: () => undefined,
      config: defaultSkills,
      clock: this.lab.clock,
      log: (level, event, facts) =>
        void this.log.push(`${level} ${event} ${JSON.stringify(facts)}`),
    });
  }

  /** The skills of a bucket as others reach them; ann's by default. */
  skills(address: Pick<SessionAddress, "agent" | "user"> = { agent: "main", user: "ann" }): Skills {
    const { clock } = this.lab;
    const files = this.lab.bucket(home(address));
    const skills = new BucketSkills({ files, clock, log: () => {} });
    return {
      load: (request) => skills.load(request),
      changeDraft: (request) => skills.changeDraft(request),
      candidate: (name, live) => skills.candidate(name, live),
      decide: (request) => skills.decide(request),
      move: (request) => skills.move(request),
      records: () => skills.records(),
      audit: (request) => skills.audit(request),
      curate: (request) => skills.curate(request),
      noteSuggestions: async (report, text) => void (await skills.noteSuggestions(report, text)),
    };
  }

  /** A person writes files. */
  async put(files: Files, workspace: Workspace = this.lab.workspace()): Promise<void> {
    const changes = Object.entries(files).map(([path, given]) => {
      const content = typeof given === "string" ? { text: given } : { bytes: given };
      return { kind: "write", path, content } as const;
    });
    await workspace.change({ by: BY, changes });
  }

  /** The text of a file of ann's; `null` where there is none. */
  async text(path: string): Promise<string | null> {
    const { files } = await this.lab.workspace().readMany({ paths: [path] });
    const content = files[0]?.content;
    return content && "text" in content ? content.text : null;
  }

  tool(name: string): Tool {
    const tool = this.capability.tools().find((candidate) => candidate.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool;
  }

  /** All that a tool gives. Without `op` it is a new call. */
  async output(
    name: string,
    input: unknown,
    context: Partial<ToolContext> = {},
  ): Promise<ToolOutput> {
    const tool = this.tool(name);
    if (tool.runsOn === "client") throw new Error(`${name} runs elsewhere`);
    const given = { op: `s/call-${++this.#calls}`, workspace: this.lab.workspace(), ...context };
    return tool.prepare(input).run(toolContext({ now: () => this.lab.clock.now(), ...given }));
  }

  /** The text that a tool gives. */
  async use(name: string, input: unknown, context: Partial<ToolContext> = {}): Promise<string> {
    const output = await this.output(name, input, context);
    if (typeof output === "string") return output;
    if ("holds" in output) return "";
    const parts = "content" in output ? output.content : output;
    return parts
      .map((part) => (part.type === "text" ? part.text : `<${part.mediaType}>`))
      .join("\n");
  }
}

/** The message of the error that something ends in. */
export async function refusalOf(work: Promise<unknown> | (() => unknown)): Promise<string> {
  try {
    await (typeof work === "function" ? work() : work);
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
  throw new Error("it was not refused");
}
