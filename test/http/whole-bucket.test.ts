import { createHash } from "node:crypto";
import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { exportArchive } from "../../src/http/archive-export.ts";
import { importArchive } from "../../src/http/archive-import.ts";
import { wholeFile } from "../../src/http/file-stream.ts";
import type { ReadManyAnswer } from "../../src/shared/workspace-api.ts";
import type { Content } from "../../src/shared/workspace-files.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { WorkspaceLab } from "../support/workspace-lab.ts";

const MIB = 1024 * 1024;
const LOG = "agents/main/sessions/s1.log.jsonl";
const own = { directory: "", layer: "own", whiteouts: true } as const;

const sizeOf = (content: Content): number =>
  "text" in content ? content.text.length : content.bytes.length;

/** A workspace that notes how much each answer held, and what of it was read before the next one was asked for. */
function watched(workspace: Workspace) {
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
async function drain(stream: ReadableStream<Uint8Array>) {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return { bytes: Buffer.concat(chunks), largest: Math.max(...chunks.map(({ length }) => length)) };
}

describe("an export of a whole bucket", () => {
  it("[W17] of 2,000 files costs one call for each 8 MiB, each when the last was sent", async () => {
    const lab = new WorkspaceLab();
    const source = lab.workspace();
    const nameOf = (no: number) => `knowledge/${String(no).padStart(4, "0")}.md`;
    const textOf = (no: number) => `# File ${no}\n`.padEnd(12_000, "the same words again ");
    for (const half of [0, 1_000])
      await source.change({
        by: "user:ann",
        changes: Array.from({ length: 1_000 }, (_, index) => ({
          kind: "write",
          path: nameOf(half + index),
          content: { text: textOf(half + index) },
        })),
      });
    const calls = lab.calls.length;
    const { workspace, answers } = watched(source);
    const reader = (await exportArchive(workspace, own)).getReader();
    await reader.read();
    expect(answers.length).toBe(1);
    await reader.cancel();
    const { bytes } = await drain(await exportArchive(workspace, own));
    const asked = lab.calls.slice(calls).map((call) => call.split(" ")[1]);
    expect(asked.filter((method) => method !== "readMany")).toEqual([
      "manifest",
      "tree",
      "manifest",
      "tree",
    ]);
    expect(answers.length - 1).toBe(Math.ceil((2_000 * 12_000) / (8 * MIB)));
    expect(Math.max(...answers)).toBeLessThanOrEqual(8 * MIB);
    const unpacked = unzipSync(bytes);
    expect(Object.keys(unpacked).length).toBe(2_000);
    expect(Buffer.from(unpacked[nameOf(1_234)] ?? []).toString()).toBe(textOf(1_234));
  });

  it("[W5] [W17] takes a log of 60 MiB in parts of 4, and another bucket has the same bytes", async () => {
    const lab = new WorkspaceLab();
    const source = lab.workspace();
    const sha256 = await fillLog(lab, source, 60 * MIB);
    const { workspace, answers } = watched(source);
    const { bytes, largest } = await drain(await exportArchive(workspace, own));
    expect(answers.length).toBeGreaterThanOrEqual(15);
    expect(answers.length).toBeLessThanOrEqual(17);
    expect(Math.max(...answers, largest)).toBeLessThanOrEqual(4 * MIB);

    const target = new WorkspaceLab().workspace({ user: "bob" });
    const staged: number[] = [];
    const stageImport: Workspace["stageImport"] = (id, page) => {
      staged.push(page.changes.reduce((sum, it) => sum + ("text" in it ? it.text.length : 0), 0));
      return target.stageImport(id, page);
    };
    const by = { id: "i1", by: "user:bob" };
    const answer = await importArchive({ ...target, stageImport }, bytes, by);
    expect(answer).toEqual({ files: 1, whiteouts: 0 });
    expect(Math.max(...staged)).toBeLessThanOrEqual(4 * MIB);
    const hash = createHash("sha256");
    const first = await target.read({ path: LOG, from: 0 });
    for await (const part of wholeFile(target, first, "own")) hash.update(part);
    expect(hash.digest("hex")).toBe(sha256);
  });
});

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
