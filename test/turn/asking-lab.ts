import { defaultPermissions, type PermissionConfig } from "../../src/permissions/config.ts";
import type { PendingCall } from "../../src/shared/events.ts";
import type { PointName } from "../../src/shared/point.ts";
import type { AcceptRequest, CallAnswer } from "../../src/shared/session-api.ts";
import type { SessionAddress } from "../../src/shared/session-address.ts";
import { clientTool } from "../support/client-tool.ts";
import { makeDigestsInstant } from "../support/instant-digest.ts";
import { script, type ScriptedStep } from "../support/scripted-model.ts";
import { createScriptedTools } from "../support/scripted-tools.ts";
import { SessionLab, type LabOptions } from "./session-lab.ts";

export type AskingOptions = Omit<LabOptions, "permissions"> & {
  readonly permissions?: Partial<PermissionConfig>;
};

/** One call of a scripted tool, told from others by its label. */
export const call = (name: string, label = "x") => ({ name, input: JSON.stringify({ label }) });

/** A step of `unsafe_thing` calls, which ask, and the end of the turn. */
export const asking = (...labels: readonly string[]): readonly ScriptedStep[] => [
  { calls: labels.map((label) => call("unsafe_thing", label)) },
  { text: "ok", batches: 1 },
];

/** Everything that waits for somebody: the scripted tools and `locate`, where calls with an effect outside ask. */
export class AskingLab extends SessionLab {
  constructor({ permissions, ...options }: AskingOptions = {}, address?: SessionAddress) {
    makeDigestsInstant();
    super({ ...options, permissions: { ...defaultPermissions, ...permissions } }, address);
    this.restart({ tools: options.tools ?? this.ownTools() });
  }

  ownTools() {
    return [...createScriptedTools(this.effects, () => this.pause()), clientTool];
  }

  /** Another object of an agent whose operator says something else. */
  restartWith(permissions: Partial<PermissionConfig>): void {
    this.restart({
      tools: this.ownTools(),
      permissions: { ...defaultPermissions, ...permissions },
    });
  }

  /** Another object of the same agent. */
  again(): void {
    this.restartWith({});
  }

  /** The object ends when it comes to this point for the `no`th time, and does nothing more; whether it came there. */
  crashAt(point: (name: PointName) => boolean, no = 1): () => boolean {
    let count = 0;
    this.onPoint = (name) => {
      if (point(name)) count++;
      if (count >= no) throw new Error("crash");
    };
    return () => count >= no;
  }

  /** Another object takes over and somebody looks at it. */
  async recover(): Promise<void> {
    this.onPoint = () => {};
    this.again();
    this.session.current();
    await this.settle();
  }

  /** A message that says what becomes of it while a turn is not ended. */
  send(key: string, what: string | readonly ScriptedStep[], more: Partial<AcceptRequest> = {}) {
    const text = typeof what === "string" ? what : script(...what);
    const input = { kind: "message", content: [{ type: "text", text }] } as const;
    return this.session.accept({ key, digest: text, input, ...more });
  }

  status() {
    return this.session.history({ limit: 1 }).status;
  }

  pending(): readonly PendingCall[] {
    return this.status().pending;
  }

  /** The call that waits with this label. */
  question(label: string): PendingCall {
    const found = this.pending().find(({ input }) => input === JSON.stringify({ label }));
    if (!found) throw new Error(`no call with the label ${label} waits`);
    return found;
  }

  /** Answers the call with this label, and lets everything happen; what became of the answer. */
  async decide(label: string, answer: Answer): Promise<string | undefined> {
    return this.answer({ ...named(this.question(label)), ...answer });
  }

  async answer(...answers: readonly CallAnswer[]): Promise<string | undefined> {
    const { answers: outcomes } = await this.session.answer(answers, "ann");
    await this.settle();
    return outcomes.map(({ outcome }) => outcome).join();
  }

  /** Facts of these kinds, in order, in a few words: `asked:one answered:approved`. */
  facts(...kinds: readonly string[]): string {
    return this.entries()
      .filter(({ kind }) => kinds.includes(kind))
      .map((entry) => {
        if (entry.kind === "answered") return `answered:${entry.answer}`;
        if (entry.kind === "result") return `result:${entry.status}`;
        return entry.kind === "end" ? `end:${entry.outcome}` : entry.kind;
      })
      .join(" ");
  }
}

type Answer =
  | Omit<Extract<CallAnswer, { kind: "approve" }>, "call" | "digest">
  | Omit<Extract<CallAnswer, { kind: "deny" }>, "call" | "digest">
  | Omit<Extract<CallAnswer, { kind: "result" }>, "call" | "digest">;

export const yes = { kind: "approve" } as const;
export const no = { kind: "deny" } as const;

/** What an answer names of its question. */
export const named = ({ call: id, digest }: PendingCall) => ({ call: id, digest });

/** A session whose turn `t` waits for the approval of these calls. */
export async function waitingLab(...labels: readonly string[]): Promise<AskingLab> {
  const lab = new AskingLab();
  lab.say("t", asking(...labels));
  await lab.settle();
  return lab;
}

/** A turn that waits for a client's tool, and for an approval. */
export async function waitingForBoth(): Promise<AskingLab> {
  const lab = new AskingLab();
  lab.say("t", [{ calls: [call("locate", "a"), call("unsafe_thing", "b")] }, { text: "ok" }]);
  await lab.settle();
  return lab;
}
