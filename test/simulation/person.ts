import type { PendingCall } from "../../src/shared/events.ts";
import { permissionModes } from "../../src/shared/permissions.ts";
import type { CallAnswer } from "../../src/shared/session-api.ts";
import type { Ledger } from "./ledger.ts";
import type { Ground } from "./ground.ts";
import type { Host } from "./host.ts";

/** Tries until the session answers; `null` when it says no. */
export type Persist = <Result>(
  what: string,
  attempt: () => Promise<Result>,
) => Promise<Result | null>;

/** What a person does beside talking: decides, changes rights, tidies up. */
export class Person {
  readonly #ground: Ground;
  readonly #host: Host;
  readonly #ledger: Ledger;
  readonly #persist: Persist;

  constructor(ground: Ground, host: Host, ledger: Ledger, persist: Persist) {
    this.#ground = ground;
    this.#host = host;
    this.#ledger = ledger;
    this.#persist = persist;
  }

  /** Answers one of the calls, or all at once, perhaps twice at the same time. */
  async decide(pending: readonly PendingCall[]): Promise<void> {
    const { random } = this.#ground;
    if (pending.length === 0) return;
    const calls = random.chance(0.3) ? pending : [random.pick(pending)];
    const answers = calls.map((call) => this.#answerTo(call));
    const other = random.chance(0.5) ? answers : calls.map((call) => this.#answerTo(call));
    if (random.chance(0.3)) await Promise.all([this.#answer(answers), this.#answer(other)]);
    else await this.#answer(answers);
  }

  #answerTo({ call, digest, what, suggested }: PendingCall): CallAnswer {
    const { random } = this.#ground;
    const how = random.weighted({ yes: 6, no: 3, edited: 1, always: 1, forged: 1 });
    if (what === "client")
      return {
        call,
        digest,
        kind: "result",
        output: how === "forged" ? 7 : "done",
        isError: how === "no",
      };
    if (how === "no") return { call, digest, kind: "deny", reason: "I would rather not." };
    if (how === "forged") return { call, digest: "0".repeat(64), kind: "approve" };
    if (how === "always") return { call, digest, kind: "approve", always: suggested.slice(0, 1) };
    if (how === "edited")
      return { call, digest, kind: "approve", input: { label: `E${++this.#ledger.time}` } };
    return { call, digest, kind: "approve" };
  }

  async #answer(answers: readonly CallAnswer[]): Promise<void> {
    const answered = await this.#persist("answer", () =>
      this.#host.call("answer", (session) => session.answer(answers, "ann")),
    );
    for (const { call, outcome } of answered?.answers ?? []) {
      const digest = answers.find((answer) => answer.call === call)?.digest ?? "";
      if (outcome !== "taken") continue;
      const key = `${call} ${digest}`;
      const count = (this.#ledger.answers.get(key) ?? 0) + 1;
      this.#ledger.answers.set(key, count);
      if (count > 1) this.#ground.violate(`[A5] two answers to ${call} were taken`);
    }
  }

  /** Does what is no talk: changes rights, names, clears or deletes the session. */
  async tidy(what: string): Promise<void> {
    if (what === "rights") await this.#changeRights();
    if (what === "clear") await this.#clear();
    if (what === "rename") await this.#rename();
    if (what === "remove") await this.#remove();
  }

  async #changeRights(): Promise<void> {
    const { random } = this.#ground;
    const mode = random.pick(permissionModes);
    const change = random.pick([
      { mode },
      { mode, allow: [{ tool: "keyed" }] },
      { ask: [{ tool: "pure" }] },
    ]);
    await this.#persist("rights", () =>
      this.#host.call("rights", (session) => session.setPermissions(change, "ann")),
    );
  }

  async #clear(): Promise<void> {
    await this.#persist("clear", () => this.#host.call("clear", (session) => session.clear("ann")));
  }

  async #rename(): Promise<void> {
    await this.#persist("rename", () =>
      this.#host.call("rename", (session) => session.rename("Another name")),
    );
  }

  /** From the moment that it is acknowledged nothing is answered any more. */
  async #remove(): Promise<void> {
    const removed = await this.#persist("remove", () =>
      this.#host.call("remove", (session) => session.remove()),
    );
    if (removed !== null) this.#ledger.isGone = true;
  }
}
