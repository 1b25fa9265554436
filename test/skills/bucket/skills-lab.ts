import { bucketPrefix } from "../../../src/shared/bucket-key.ts";
import type {
  Candidate,
  Decided,
  Decision,
  DecisionRequest,
  DraftChange,
  DraftChanged,
  DraftRequest,
} from "../../../src/shared/skill-drafts.ts";
import type { SkillFile } from "../../../src/shared/skill-facts.ts";
import type { AuditLine, AuditRequest } from "../../../src/shared/skill-upkeep.ts";
import type { MoveRequest, SkillMove } from "../../../src/shared/skills-api.ts";
import type { Change } from "../../../src/shared/workspace-changes.ts";
import type { Content } from "../../../src/shared/workspace-files.ts";
import { BucketSkills } from "../../../src/skills/bucket/bucket-skills.ts";
import type { WorkspaceBucket } from "../../../src/workspace/bucket.ts";
import { WorkspaceLab, type WorkspaceLabOptions } from "../../support/workspace-lab.ts";

export const DAY = 86_400_000;
/** When each lab begins. */
export const NOW = Date.UTC(2026, 11, 1, 9, 30);
export const ANN = bucketPrefix({ scope: "USER", agent: "main", user: "ann" });
export const BINARY = Uint8Array.from([0, 255, 1, 254, 0, 13, 10]);

export const document = (name: string, body = "Do it well."): string =>
  `---\nname: ${name}\ndescription: Works with ${name} files.\n---\n\n${body}\n`;

export const textFile = (path: string, text: string, executable = false): SkillFile => ({
  path,
  content: { text },
  executable,
});

/** A whole skill: its SKILL.md, a script that can be run, and an asset that is no text. */
export const skillFiles = (name: string, body?: string): readonly SkillFile[] => [
  textFile("SKILL.md", document(name, body)),
  { path: "assets/logo.png", content: { bytes: BINARY }, executable: false },
  textFile("scripts/run.sh", "#!/bin/sh\necho done\n", true),
];

/** The skills of ann's bucket, over real files; with what the agent's users share, and a template. */
export class SkillsLab {
  readonly workspaces: WorkspaceLab;
  readonly logged: string[] = [];
  #skills: BucketSkills | null = null;
  #ops = 0;

  private constructor(options: WorkspaceLabOptions) {
    this.workspaces = new WorkspaceLab(options);
  }

  static async of(options: WorkspaceLabOptions = {}): Promise<SkillsLab> {
    const lab = new SkillsLab(options);
    await lab.workspaces.clock.pass(NOW);
    return lab;
  }

  get bucket(): WorkspaceBucket {
    return this.workspaces.bucket(ANN);
  }

  get skills(): BucketSkills {
    const { clock } = this.workspaces;
    const log = (_level: string, event: string) => void this.logged.push(event);
    this.#skills ??= new BucketSkills({ files: this.bucket, clock, log });
    return this.#skills;
  }

  /** The object ends; the next call finds another one over the same tables. */
  restart(): void {
    this.workspaces.restart();
    this.#skills = null;
  }

  op(): string {
    return `op-${(this.#ops += 1)}`;
  }

  pass(ms: number): Promise<void> {
    return this.workspaces.clock.pass(ms);
  }

  async change(...changes: readonly Change[]): Promise<void> {
    await this.bucket.change({ by: "user:ann", changes });
  }

  put(path: string, content: string | Uint8Array, executable = false): Promise<void> {
    const given = typeof content === "string" ? { text: content } : { bytes: content };
    return this.change({ kind: "write", path, content: given, executable });
  }

  /** A skill that a person has put there. */
  async live(name: string, directory = `skills/${name}`, body?: string): Promise<void> {
    for (const { path, content, executable } of skillFiles(name, body))
      await this.change({ kind: "write", path: `${directory}/${path}`, content, executable });
  }

  draft(
    name: string,
    change: DraftChange,
    more: Partial<DraftRequest> = {},
  ): Promise<DraftChanged> {
    return this.skills.changeDraft({
      name,
      change,
      live: null,
      origin: "agent",
      trust: "agent",
      by: "agent:main/s1",
      session: "s1",
      op: this.op(),
      ...more,
    });
  }

  /** The agent drafts a new skill; the draft's hash. */
  async drafted(name: string, more: Partial<DraftRequest> = {}): Promise<string> {
    const changed = await this.draft(name, { kind: "create", files: skillFiles(name) }, more);
    return changed.draft?.hash ?? "";
  }

  decide(name: string, hash: string, decision: Decision, more: Partial<DecisionRequest> = {}) {
    const request = { name, hash, decision, live: null, by: "user:ann", op: this.op(), ...more };
    return this.skills.decide(request);
  }

  promote(name: string, hash: string, more: Partial<DecisionRequest> = {}): Promise<Decided> {
    return this.decide(name, hash, { kind: "promote", environments: ["prod"] }, more);
  }

  /** The agent drafts a skill, and a person promotes it. */
  async promoted(name: string): Promise<string> {
    const hash = await this.drafted(name);
    await this.promote(name, hash);
    return hash;
  }

  move(name: string, move: SkillMove, more: Partial<MoveRequest> = {}): Promise<string | null> {
    const live = { directory: `skills/${name}` };
    return this.skills.move({ name, move, live, by: "user:ann", op: this.op(), ...more });
  }

  load(name: string, path = "SKILL.md", op = this.op()) {
    return this.skills.load({ name, directory: `skills/${name}`, path, op });
  }

  candidate(name: string, directory: string | null = null): Promise<Candidate> {
    return this.skills.candidate(name, directory === null ? null : { directory });
  }

  async usage(name: string) {
    return (await this.skills.records()).usage.find((usage) => usage.name === name) ?? null;
  }

  async audit(request: AuditRequest = {}): Promise<readonly AuditLine[]> {
    return this.skills.audit(request);
  }

  /** What shows below a directory: by path its text or bytes, and whether it can be run. */
  async shown(directory: string): Promise<Record<string, string>> {
    const { entries } = await this.bucket.tree({ recursive: true, limit: 2_000 });
    const found: Record<string, string> = {};
    for (const { path, file } of entries) {
      if (!path.startsWith(`${directory}/`) || !file) continue;
      const { content } = await this.bucket.read({ path });
      found[path.slice(directory.length + 1)] = `${file.executable ? "x" : "-"} ${spelt(content)}`;
    }
    return found;
  }

  async text(path: string): Promise<string> {
    const { content } = await this.bucket.read({ path });
    return "text" in content ? content.text : "";
  }
}

const spelt = (content: Content): string =>
  "text" in content ? content.text : Buffer.from(content.bytes).toString("hex");

/** What `shown` gives of `skillFiles`. */
export const shownFiles = (name: string, body?: string): Record<string, string> =>
  Object.fromEntries(
    skillFiles(name, body).map(({ path, content, executable }) => [
      path,
      `${executable ? "x" : "-"} ${spelt(content)}`,
    ]),
  );

/** How often something fails where a change is committed. */
export function failing(bucket: WorkspaceBucket, isAfter: boolean): void {
  const change = bucket.change.bind(bucket);
  bucket.change = async (request) => {
    if (request.changes.every((one) => "expect" in one && one.expect === "never"))
      return change(request);
    bucket.change = change;
    if (isAfter) await change(request);
    throw new Error("the object ended");
  };
}
