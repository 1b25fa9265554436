import { createHash } from "node:crypto";
import { expect } from "vitest";
import { exportArchive } from "../../src/http/archive-export.ts";
import { importArchive } from "../../src/http/archive-import.ts";
import { wholeFile } from "../../src/http/file-stream.ts";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import type { ReadManyAnswer } from "../../src/shared/workspace-api.ts";
import type { Content } from "../../src/shared/workspace-files.ts";
import { defaultBucketLimits } from "../../src/workspace/limits.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { WorkspaceLab } from "./workspace-lab.ts";

export const MIB = 1024 * 1024;
const KEY = bucketPrefix({ scope: "USER", agent: "main", user: "ann" });
const LOG = "agents/main/sessions/s1.log.jsonl";

/** All that a workspace itself holds. */
export const own = { directory: "", layer: "own", whiteouts: true } as const;

const sizeOf = (content: Content): number =>
  "text" in content ? content.text.length : content.bytes.length;

/** A workspace that notes how much each answer held, and what of it was read before the next one was asked for. */
export function watched(workspace: Workspace) {
  const answers: number[] = [];
  const watch = (size: number) => void answers.push(size);
  const readMany: Workspace["readMany"] = async (request) => {
    const answer: ReadManyAnswer = await workspace.readMany(request);
    watch(answer.files.reduce((sum, file) => sum + (file ? sizeOf(file.content) : 0), 0));
    return answer;
  };
  const read: Workspace["read"] = async (request) => {
    const answer = await workspace.read(request);
    watch(sizeOf(answer.content));
    return answer;
  };
  return { workspace: { ...workspace, read, readMany }, answers };
}

/** The whole stream, with the size of its largest chunk. */
export async function drain(stream: ReadableStream<Uint8Array>) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return { bytes: Buffer.concat(chunks), largest: Math.max(...chunks.map(({ length }) => length)) };
}

/** Takes a log of so many bytes out of one bucket and into another, and looks at every part on the way. */
export async function carryLog(size: number): Promise<void> {
  const lab = new WorkspaceLab();
  const source = lab.workspace();
  const sha256 = await fillLog(lab, source, size);
  const sealed = lab.sql(KEY).all("SELECT * FROM segment");
  expect(sealed.length).toBeGreaterThan(size / (4 * MIB));
  const { workspace, answers } = watched(source);
  const { bytes, largest } = await drain(await exportArchive(workspace, own));
  const parts = size / (4 * MIB);
  expect(answers.length).toBeGreaterThanOrEqual(parts);
  expect(answers.length).toBeLessThanOrEqual(parts + 2);
  expect(Math.max(...answers, largest)).toBeLessThanOrEqual(4 * MIB);

  const target = new WorkspaceLab().workspace({ user: "bob" });
  const staged: number[] = [];
  const stageImport: Workspace["stageImport"] = (id, page) => {
    staged.push(page.changes.reduce((sum, it) => sum + ("text" in it ? it.text.length : 0), 0));
    return target.stageImport(id, page);
  };
  const by = { id: "i1", by: "user:bob", limits: defaultBucketLimits };
  const answer = await importArchive({ ...target, stageImport }, bytes, by);
  expect(answer).toEqual({ files: 1, whiteouts: 0 });
  expect(Math.max(...staged)).toBeLessThanOrEqual(4 * MIB);
  const hash = createHash("sha256");
  const first = await target.read({ path: LOG, from: 0 });
  for await (const part of wholeFile(target, first, "own")) hash.update(part);
  expect(hash.digest("hex")).toBe(sha256);
}

/** Appends lines, most of which are sealed on the way; gives the digest of what is there then. */
async function fillLog(lab: WorkspaceLab, workspace: Workspace, size: number): Promise<string> {
  const hash = createHash("sha256");
  for (let no = 0, length = 0; length < size; no += 1) {
    const said = (no % 8 === 0 ? "aé漢😀 " : "some words ").repeat(100);
    const text = `{"no":${no},"said":"${said}"}\n`.repeat(1_500);
    await workspace.change({ by: "job:x", changes: [{ kind: "append", path: LOG, text }] });
    const bytes = Buffer.from(text);
    hash.update(bytes);
    length += bytes.length;
    if (no % 4 === 3) await lab.pass(15_000);
  }
  return hash.digest("hex");
}
