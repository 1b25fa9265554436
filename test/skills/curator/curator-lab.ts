import { bucketPrefix } from "../../../src/shared/bucket-key.ts";
import type { SkillProvenance, SkillUsage } from "../../../src/shared/skill-facts.ts";
import type { AuditLine, CuratorRequest, CuratorRun } from "../../../src/shared/skill-upkeep.ts";
import type { Change } from "../../../src/shared/workspace-changes.ts";
import { archiveFile, type ArchiveRecord } from "../../../src/skills/bucket/archive-records.ts";
import { auditLines } from "../../../src/skills/bucket/audit.ts";
import { BucketSkills } from "../../../src/skills/bucket/bucket-skills.ts";
import { readState } from "../../../src/skills/bucket/curator/state.ts";
import { readSkillFiles } from "../../../src/skills/bucket/directory.ts";
import { draftsFile, type DraftRecord } from "../../../src/skills/bucket/draft-records.ts";
import { provenanceFile } from "../../../src/skills/bucket/provenance-records.ts";
import {
  readRecords,
  recordChange,
  type RecordFile,
} from "../../../src/skills/bucket/record-file.ts";
import type { SkillParts } from "../../../src/skills/bucket/skill-parts.ts";
import { unused, usageFile } from "../../../src/skills/bucket/usage-records.ts";
import { defaultCurator } from "../../../src/skills/config.ts";
import { hashSkill } from "../../../src/skills/format/hash.ts";
import { WorkspaceLab, type WorkspaceLabOptions } from "../../support/workspace-lab.ts";

export const DAY = 86_400_000;
/** When each lab begins: noon of some day. */
export const BEGAN = Date.UTC(2026, 10, 30, 12);

const KEY = bucketPrefix({ scope: "USER", agent: "main", user: "ann" });

/** A real bucket with skills in it, and a clock that stands still until it is set. */
export class CuratorLab {
  readonly workspaces: WorkspaceLab;
  /** What the clock says, which may go back. */
  now = BEGAN;
  readonly parts: SkillParts;
  readonly skills: BucketSkills;
  #ops = 0;

  constructor(options: WorkspaceLabOptions = {}) {
    this.workspaces = new WorkspaceLab(options);
    const now = () => this.now;
    Object.assign(this.workspaces.clock, { now });
    const files = this.workspaces.bucket(KEY);
    this.parts = { files, clock: { now }, log: () => {} };
    this.skills = new BucketSkills(this.parts);
  }

  async change(...changes: readonly Change[]): Promise<void> {
    await this.parts.files.change({ by: "user:ann", changes });
  }

  async put(path: string, text: string): Promise<void> {
    await this.change({ kind: "write", path, content: { text } });
  }

  /** A live skill as a promotion of what the agent wrote leaves it. */
  async agentSkill(name: string, provenance: Partial<SkillProvenance> = {}): Promise<void> {
    await this.humanSkill(name);
    await this.promoted(name, provenance);
  }

  /** Notes the files that a live skill has now as what the agent made and a person promoted. */
  async promoted(name: string, provenance: Partial<SkillProvenance> = {}): Promise<void> {
    const made = { createdBy: "agent", createdAt: this.now, promotedAt: this.now } as const;
    const by = { promotedBy: "user:ann", sourceSession: "s1", environments: ["prod"] };
    const { hash } = await hashSkill(await readSkillFiles(this.parts, `skills/${name}`));
    await this.#record(provenanceFile, name, { ...made, ...by, hash, head: null, ...provenance });
  }

  /** A skill that a person has put there. */
  async humanSkill(name: string, directory = `skills/${name}`): Promise<void> {
    await this.put(`${directory}/SKILL.md`, skillText(name));
    await this.put(`${directory}/scripts/run.py`, `print("${name}")\n`);
  }

  async draft(name: string, record: Partial<DraftRecord> = {}): Promise<void> {
    await this.put(`skills/_drafts/${name}/SKILL.md`, skillText(name));
    const at = { createdAt: this.now, changedAt: this.now };
    const target = `skills/${name}`;
    await this.#record(draftsFile, name, { ...draftRecord, ...at, target, ...record });
  }

  async use(name: string, usage: Partial<SkillUsage>): Promise<void> {
    const { entries } = await readRecords(this.parts.files, usageFile);
    await this.#record(usageFile, name, { ...(entries.get(name) ?? unused), ...usage });
  }

  async #record<Entry>(file: RecordFile<Entry>, name: string, entry: Entry): Promise<void> {
    const before = await readRecords(this.parts.files, file);
    await this.change(recordChange(file, before, name, entry));
  }

  curate(request: Partial<CuratorRequest> = {}): Promise<CuratorRun> {
    return this.skills.curate({ ...this.request(), ...request });
  }

  /** The agent loads a skill. */
  async load(name: string): Promise<void> {
    const op = `turn-${(this.#ops += 1)}`;
    await this.skills.load({ name, directory: `skills/${name}`, path: "SKILL.md", op });
  }

  request(): CuratorRequest {
    const op = `slot-${(this.#ops += 1)}`;
    return { options: defaultCurator, dry: false, now: false, by: "job:curator", op };
  }

  /** Lets the first run have been a week before now: the next one acts. */
  async warmUp(): Promise<void> {
    const { now } = this;
    this.now = now - 7 * DAY;
    await this.curate({ now: true });
    this.now = now;
  }

  state() {
    return readState(this.parts);
  }

  async usageOf(name: string): Promise<SkillUsage | null> {
    return (await readRecords(this.parts.files, usageFile)).entries.get(name) ?? null;
  }

  async archived(): Promise<readonly (ArchiveRecord & { readonly directory: string })[]> {
    const { entries } = await readRecords(this.parts.files, archiveFile);
    return [...entries].map(([directory, entry]) => ({ directory, ...entry }));
  }

  audit(): Promise<readonly AuditLine[]> {
    const from = new Date(BEGAN).toISOString().slice(0, 10);
    return auditLines(this.parts, { op: "curate", from });
  }

  /** The text at a path; `null` where nothing is. */
  async text(path: string): Promise<string | null> {
    const [read] = (await this.parts.files.readMany({ paths: [path] })).files;
    return read && "text" in read.content ? read.content.text : null;
  }

  report(run: CuratorRun): Promise<string | null> {
    return this.text(`${run.report ?? ""}/REPORT.md`);
  }

  /** All own files: path and etag. */
  async files(directory = ""): Promise<readonly string[]> {
    const request = { directory, recursive: true, layer: "own", limit: 2_000 } as const;
    const { entries } = await this.parts.files.tree(request);
    return entries.map(({ path, file }) => `${path} ${file?.etag}`);
  }
}

export const skillText = (name: string): string =>
  `---\nname: ${name}\ndescription: Does what ${name} is for.\n---\n\n# ${name}\n`;

const draftRecord: DraftRecord = {
  action: "publish",
  absorbedInto: null,
  base: null,
  target: "",
  origin: "agent",
  trust: "agent",
  createdAt: 0,
  changedAt: 0,
  by: "agent:main/s1",
  session: "s1",
  deferredUntil: null,
  deferredWhy: null,
  description: null,
};
