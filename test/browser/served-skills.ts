import type { IncomingMessage, ServerResponse } from "node:http";
import type { Decided, DraftSummary } from "../../src/shared/skill-drafts.ts";
import type { CuratorState } from "../../src/shared/skill-upkeep.ts";
import type { ArchivedSkill } from "../../src/shared/skills-api.ts";
import type { CandidateView, SkillsView, SkillView } from "../../src/shared/skills-views.ts";
import { readBody, sendJson } from "./fake-routes.ts";

/** What the page asked to be changed. */
type Asked = { readonly path: string; readonly body: string; readonly key: string };

type Refusal = {
  /** The end of the path. */
  readonly of: string;
  readonly status: number;
  readonly code: string;
  readonly message: string;
};

const SKILLS = "/v1/agents/main/skills";
const HOUR = 3_600_000;

export const hash = "ab".repeat(32);

export const noSkills: SkillsView = {
  skills: [],
  drafts: 0,
  archived: [],
  leftOut: [],
  repositories: [],
  problems: [],
};

export const skill = (name: string, more: Partial<SkillView> = {}): SkillView => ({
  name,
  id: `${name}_own`,
  description: `Does what ${name} does.`,
  source: "own",
  isRepository: false,
  directory: `skills/${name}`,
  warnings: [],
  provenance: null,
  state: "active",
  pinned: false,
  usage: { useCount: 0, viewCount: 0, lastUsedAt: null, lastViewedAt: null },
  ...more,
});

export const draft = (name: string, more: Partial<DraftSummary> = {}): DraftSummary => ({
  name,
  action: "publish",
  absorbedInto: null,
  hash,
  base: null,
  target: `skills/${name}`,
  origin: "agent",
  trust: "agent",
  createdAt: Date.now() - 3 * HOUR,
  changedAt: Date.now() - 2 * HOUR,
  by: "agent:main/s1",
  session: "s1",
  deferredUntil: null,
  deferredWhy: null,
  description: `Does what ${name} does.`,
  verdict: "safe",
  files: 1,
  bytes: 120,
  ...more,
});

export const archived = (name: string, more: Partial<ArchivedSkill> = {}): ArchivedSkill => ({
  name,
  directory: `skills/.archive/${name}-20310505120000`,
  at: Date.now() - HOUR,
  was: "skill",
  why: "",
  hash,
  provenance: null,
  ...more,
});

export const candidate = (of: DraftSummary, more: Partial<CandidateView> = {}): CandidateView => ({
  draft: of,
  files: [],
  removed: [],
  scan: { verdict: of.verdict, findings: [] },
  conflict: null,
  usage: null,
  ...more,
});

/** The skill routes as a test plays them, with notes of what the page asked. */
export class ServedSkills {
  overview: SkillsView = noSkills;
  drafts: readonly DraftSummary[] = [];
  candidates = new Map<string, CandidateView>();
  curator: CuratorState & { readonly isEnabled: boolean; readonly report: string | null } = {
    seededAt: null,
    lastRunAt: null,
    runs: 0,
    lastSummary: null,
    lastReport: null,
    isEnabled: false,
    report: null,
  };
  /** `false`: the person may not see drafts. */
  mayReview = true;
  readonly asked: Asked[] = [];
  readonly refusals: Refusal[] = [];
  /** Called when something was asked for, before the page hears of it. */
  onChange: () => void = () => {};

  /** Answers a request to the skill routes; `false` for any other. */
  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    { pathname }: URL,
  ): Promise<boolean> {
    if (pathname !== SKILLS && !pathname.startsWith(`${SKILLS}/`)) return false;
    const path = decodeURIComponent(pathname.slice(SKILLS.length + 1));
    const body = await readBody(request);
    if (request.method === "POST") {
      this.asked.push({ path, body, key: String(request.headers["idempotency-key"]) });
    }
    const at = this.refusals.findIndex(({ of }) => path === of);
    const [refusal] = at < 0 ? [] : this.refusals.splice(at, 1);
    if (refusal) {
      const { status, code, message } = refusal;
      sendJson(response, status, { error: { code, message, id: "e8" } });
      return true;
    }
    if (request.method === "POST") this.onChange();
    const answer = request.method === "POST" ? this.#done(path) : this.#read(path);
    if (answer === null)
      sendJson(response, 404, { error: { code: "not_found", message: "No.", id: "e9" } });
    else if (answer === "forbidden")
      sendJson(response, 403, { error: { code: "forbidden", message: "No.", id: "e9" } });
    else sendJson(response, 200, answer);
    return true;
  }

  #read(path: string): object | "forbidden" | null {
    if (path === "") return this.overview;
    if (!this.mayReview) return "forbidden";
    if (path === "drafts") return { drafts: this.drafts };
    if (path === "curator") return this.curator;
    return this.candidates.get(path.replace(/^drafts\//, "")) ?? null;
  }

  #done(path: string): object {
    if (path === "drafts") return { draft: this.drafts[0] ?? null, gate: null };
    const [name = "", kind = ""] = path.split("/");
    const outcomes: Readonly<Record<string, Decided["outcome"]>> = {
      promote: "promoted",
      reject: "rejected",
      defer: "deferred",
    };
    return { name, outcome: outcomes[kind] ?? kind, hash: null };
  }
}
