import { describe, expect, it } from "vitest";
import type { PromptOptions } from "../../src/context/prompt-sources.ts";
import type { Section } from "../../src/context/sections.ts";
import { CarrelError } from "../../src/shared/errors.ts";
import type { Snapshot, SnapshotRequest } from "../../src/shared/workspace-snapshot.ts";
import type { Capability, TurnScope } from "../../src/turn/capability.ts";
import { PromptSource } from "../../src/turn/context/prompt-source.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { barePrompt } from "../support/bare-prompt.ts";
import { noWorkspace } from "../support/no-workspace.ts";
import { snapshotOver, type Files } from "../support/snapshot-over.ts";
import { quietSession } from "../support/quiet-session.ts";
import { SessionLab } from "./session-lab.ts";

const options: PromptOptions = { ...barePrompt, hasWorkspace: true };

/** A bucket whose files can be changed, and what it was asked. */
class Bucket {
  files: Files = { "AGENTS.md": "One.", "MEMORY.md": "- tea" };
  readonly asked: SnapshotRequest[] = [];
  readonly workspace: Workspace = {
    ...noWorkspace,
    snapshot: async (request) => {
      this.asked.push(request);
      const snapshot = snapshotOver(options, { own: this.files });
      return request.known === snapshot.version ? "unchanged" : snapshot;
    },
  };
}

const scopeOf = (workspace: Workspace, signal = new AbortController().signal): TurnScope => ({
  address: { agent: "main", user: "ann", session: "s1" },
  turn: "t",
  zone: "UTC",
  now: () => 0,
  workspace,
  signal,
  session: quietSession,
  end: () => null,
});

describe("PromptSource", () => {
  it("[C3] asks once a turn, and answers an unchanged workspace with the very same prompt", async () => {
    const bucket = new Bucket();
    const prompts = new PromptSource(options);
    const scope = scopeOf(bucket.workspace);
    const first = prompts.assemble(await prompts.load(scope), [], scope);
    const second = prompts.assemble(await prompts.load(scope), [], scope);
    expect(first).toContain("    One.");
    expect(second).toBe(first);
    expect(bucket.asked.map(({ known }) => known === null)).toEqual([true, false]);
    expect(bucket.asked[0]?.files).toEqual(["AGENTS.md", "knowledge/KNOWLEDGE.md", "MEMORY.md"]);
    expect(bucket.asked[0]?.lists).toEqual([{ directory: "knowledge", limit: 200 }]);
  });

  it("[C2] follows files, sections and the day, and nothing else", async () => {
    const bucket = new Bucket();
    const prompts = new PromptSource(options);
    const scope = scopeOf(bucket.workspace);
    const hour = 3_600_000;
    const at = async (now: number, sections: readonly Section[] = []) =>
      prompts.assemble(await prompts.load(scope), sections, { ...scope, now: () => now });
    const first = await at(0);
    expect(await at(23 * hour)).toBe(first);
    expect(await at(24 * hour)).toContain("Fri, Jan 2, 1970");
    const note = { name: "note", layer: "user", text: "a" } as const;
    expect(await at(0, [note])).toContain("<note>\n  a\n</note>");
    expect(await at(0, [{ ...note, text: "b" }])).toContain("<note>\n  b\n</note>");
    bucket.files = { "AGENTS.md": "Two." };
    expect(await at(0)).toContain("    Two.");
    bucket.files = {};
    expect(await at(0)).toContain("<agents_context></agents_context>");
  });

  it("[W12] passes on why files could not be read, and reads them the next time", async () => {
    const bucket = new Bucket();
    const prompts = new PromptSource(options);
    const busy = new CarrelError("overloaded", "Busy.");
    const broken = { ...noWorkspace, snapshot: () => Promise.reject(busy) };
    await expect(prompts.load(scopeOf(broken))).rejects.toBe(busy);
    expect(await prompts.load(scopeOf(bucket.workspace))).toMatchObject({ files: [{}, {}] });
    await expect(prompts.load(scopeOf(broken))).rejects.toBe(busy);
    const liar = { ...noWorkspace, snapshot: async () => "unchanged" as const };
    await expect(new PromptSource(options).load(scopeOf(liar))).rejects.toThrow("nobody has");
  });

  it("does not wait for files once the turn is over, and takes no late answer", async () => {
    const bucket = new Bucket();
    const prompts = new PromptSource(options);
    const answer = Promise.withResolvers<Snapshot>();
    const slow = { ...noWorkspace, snapshot: () => answer.promise };
    const abort = new AbortController();
    const loading = prompts.load(scopeOf(slow, abort.signal));
    abort.abort();
    await expect(loading).rejects.toMatchObject({ name: "LostTurn" });
    answer.resolve(snapshotOver(options, { own: { "AGENTS.md": "Late." } }));
    await answer.promise;
    await prompts.load(scopeOf(bucket.workspace));
    expect(bucket.asked).toMatchObject([{ known: null }]);
    await expect(prompts.load(scopeOf(slow, abort.signal))).rejects.toMatchObject({
      name: "LostTurn",
    });
  });

  it("makes no call where the prompt shows no files", async () => {
    const prompts = new PromptSource({ ...options, hasWorkspace: false });
    const scope = scopeOf(noWorkspace);
    expect(await prompts.load(scope)).toBeNull();
    expect(prompts.assemble(null, [], scope)).toMatch(/^## Session Context/);
  });
});

describe("the prompt of a turn", () => {
  const tools = [{ calls: [{ name: "unsafe_thing", input: '{"label":"a"}' }] }, { text: "ok" }];

  it("[C2, C3] is the same in all its steps, and has in the next turn what was changed meanwhile", async () => {
    const bucket = new Bucket();
    const change: Capability = {
      name: "change",
      wrapToolCall: (_, _call, next) => {
        bucket.files = { "AGENTS.md": "Two." };
        return next();
      },
    };
    const lab = new SessionLab({
      prompt: options,
      workspace: () => bucket.workspace,
      capabilities: [change],
    });
    lab.say("t1", tools);
    await lab.settle();
    lab.say("t2", "hi");
    await lab.settle();
    const [first, second, third] = lab.witness.requests.map(({ system }) => system);
    expect(first).toContain("    One.");
    expect(second).toBe(first);
    expect(third).toContain("    Two.");
    expect(bucket.asked).toHaveLength(2);
  });

  it("[W12] is never made of no files because they could not be read: the turn fails with the reason", async () => {
    const busy = new CarrelError("overloaded", "The workspace is busy.");
    const broken = { ...noWorkspace, snapshot: () => Promise.reject(busy) };
    const slow: Capability = { name: "slow", sections: () => Promise.reject(new Error("no")) };
    const lab = new SessionLab({ prompt: options, workspace: () => broken, capabilities: [slow] });
    lab.say("t", "hi");
    await lab.settle();
    expect(lab.witness.requests).toEqual([]);
    expect(lab.entries().at(-1)).toMatchObject({
      kind: "end",
      outcome: "failed",
      error: { code: "overloaded", message: "The workspace is busy." },
    });
  });

  it("asks for the files before anything else is waited for", async () => {
    const order: string[] = [];
    const bucket = new Bucket();
    const asked: Workspace = {
      ...noWorkspace,
      snapshot: (request) => {
        order.push("files");
        return bucket.workspace.snapshot(request);
      },
    };
    const capability = (name: string): Capability => ({
      name,
      async sections() {
        order.push(name);
        await Promise.resolve();
        return [{ name, layer: "shared", text: name }];
      },
    });
    const lab = new SessionLab({
      prompt: options,
      workspace: () => asked,
      capabilities: [capability("one"), capability("two")],
    });
    lab.say("t", "hi");
    await lab.settle();
    expect(order).toEqual(["files", "one", "two"]);
    expect(lab.witness.requests[0]?.system).toMatch(/<one>[^]*<two>/);
  });
});
