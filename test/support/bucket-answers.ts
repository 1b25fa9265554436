import type { BucketMemory } from "../../src/memory/bucket-memory.ts";
import { CarrelError } from "../../src/shared/errors.ts";
import type { Failure } from "../../src/shared/errors.ts";
import type { BucketSkills } from "../../src/skills/bucket/bucket-skills.ts";
import type { WorkspaceBucket } from "../../src/workspace/bucket.ts";

/** What the object of a bucket is made of. */
export type BucketObject = {
  readonly files: () => WorkspaceBucket;
  readonly memory: () => BucketMemory;
  readonly skills: () => BucketSkills;
};

/** As the object answers: expected failures are data. */
export async function answerOf(
  object: BucketObject,
  method: string,
  args: readonly unknown[],
): Promise<({ readonly ok: true } & object) | Failure> {
  try {
    const part = partOf(object, method);
    const name = MEMORY[method] ?? SKILLS[method] ?? method;
    const call = Reflect.get(part, name) as (...given: unknown[]) => Promise<unknown>;
    const answer = await call.apply(part, [...args]);
    return { ok: true, ...wrapped(method, answer) };
  } catch (error) {
    if (!(error instanceof CarrelError)) throw error;
    return { ok: false, code: error.code, message: error.message };
  }
}

function partOf({ files, memory, skills }: BucketObject, method: string) {
  if (method in MEMORY) return memory();
  return method in SKILLS ? skills() : files();
}

const NAMES: Readonly<Record<string, string>> = {
  snapshot: "snapshot",
  change: "changed",
  history: "versions",
  manifest: "manifest",
  usage: "usage",
  rescan: "report",
  erase: "isEmpty",
  beginRun: "begun",
  commitRun: "result",
  memoryOverview: "overview",
  undoMemory: "undone",
  forgetMemory: "forgotten",
  loadSkill: "loaded",
  changeDraft: "changed",
  candidate: "candidate",
  decideDraft: "decided",
  moveSkill: "hash",
  skillRecords: "records",
  skillAudit: "lines",
  curate: "run",
};

/** What the memory answers to, and the names of its methods. */
const MEMORY: Readonly<Record<string, string>> = {
  claimSlot: "claimSlot",
  releaseSlot: "releaseSlot",
  beginRun: "beginRun",
  commitRun: "commitRun",
  abandonRun: "abandonRun",
  tidy: "tidy",
  memoryOverview: "overview",
  undoMemory: "undo",
  note: "note",
  forgetMemory: "forget",
  hideMessages: "hideMessages",
};

/** The same of skills. */
const SKILLS: Readonly<Record<string, string>> = {
  loadSkill: "load",
  changeDraft: "changeDraft",
  candidate: "candidate",
  decideDraft: "decide",
  moveSkill: "move",
  skillRecords: "records",
  skillAudit: "audit",
  curate: "curate",
  noteSuggestions: "noteSuggestions",
};

const wrapped = (method: string, answer: unknown): object => {
  const name = NAMES[method];
  return name === undefined ? (answer as object) : { [name]: answer };
};
