import { createHash } from "node:crypto";
import { strToU8, zipSync } from "fflate";
import type { AgentDefinition } from "../../src/define-agent.ts";
import type { SkillsView, CandidateView } from "../../src/shared/skills-views.ts";
import type { SkillFile } from "../../src/shared/skill-facts.ts";
import type { Files } from "../support/bucket-parts.ts";
import { workspaceApp } from "../support/workspace-app.ts";
import { WorkspaceLab } from "../support/workspace-lab.ts";

const agents: readonly AgentDefinition[] = [
  { id: "main", enableSkillManageTool: true, enableSkillCurator: true },
  { id: "each", isolationScope: "SESSION" },
  { id: "team", isolationScope: "AGENT" },
  { id: "bare", disableSkills: true },
];

/** Two users and an admin. */
const keys = ["ann", "bob", "root"].map((user) => ({
  user,
  hash: createHash("sha256").update(`key-${user}`).digest("hex"),
  role: user === "root" ? "admin" : "user",
}));

export const document = (name: string, body = "Do it well.\n", description = "Does it.") =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}`;

const template: Files = { "skills/minutes/SKILL.md": document("minutes") };

export const zipOf = (files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)]))),
  );

export type Answer<Body = Record<string, unknown>> = {
  readonly status: number;
  readonly body: Body;
};

/** The skill routes of agents over real buckets. */
export class SkillsDesk {
  readonly lab = new WorkspaceLab({ template });
  readonly #ask = workspaceApp(this.lab, agents, { CARREL_API_KEYS: JSON.stringify(keys) });

  /** A request of `user` below `/v1/agents`; `null`: without a key. */
  respond(user: string | null, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (user !== null) headers.set("authorization", `Bearer key-${user}`);
    return this.#ask(new Request(`http://carrel.example/v1/agents/${path}`, { ...init, headers }));
  }

  /** The same, with what the answer says. */
  async ask<Body = Record<string, unknown>>(
    user: string | null,
    path: string,
    init: RequestInit = {},
  ): Promise<Answer<Body>> {
    const response = await this.respond(user, path, init);
    return { status: response.status, body: (await response.json()) as Body };
  }

  post<Body = Record<string, unknown>>(
    user: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<Body>> {
    const json = { "content-type": "application/json", ...headers };
    return this.ask<Body>(user, path, {
      method: "POST",
      ...(body === undefined ? { headers } : { headers: json, body: JSON.stringify(body) }),
    });
  }

  upload(user: string, path: string, files: Readonly<Record<string, string>>): Promise<Answer> {
    const headers = { "content-type": "application/zip" };
    return this.ask(user, path, { method: "POST", headers, body: zipOf(files) });
  }

  async list(user: string, path = "main/skills"): Promise<SkillsView> {
    return (await this.ask<SkillsView>(user, path)).body;
  }

  async candidate(user: string, name: string): Promise<CandidateView> {
    return (await this.ask<CandidateView>(user, `main/skills/drafts/${name}`)).body;
  }

  /** Has the agent of a user draft a skill. */
  async drafted(user: string, name: string, files: readonly SkillFile[] = []): Promise<void> {
    const text = { path: "SKILL.md", content: { text: document(name) }, executable: false };
    await this.lab.skills(user).changeDraft({
      name,
      change: { kind: "create", files: [text, ...files] },
      live: null,
      origin: "agent",
      trust: "agent",
      by: "agent:main/s1",
      session: "s1",
      op: `draft-${user}-${name}`,
    });
  }
}
