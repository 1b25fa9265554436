import { CarrelError } from "../../src/shared/errors.ts";
import type { PendingCall, SessionEvent } from "../../src/shared/events.ts";
import type { AcceptRequest, TurnInput } from "../../src/shared/session-api.ts";
import type { Connection } from "./connection.ts";
import type { Ground } from "./ground.ts";
import { accept, type Accepted, type Host, Unreachable } from "./host.ts";
import { Person } from "./person.ts";
import type { Ledger } from "./ledger.ts";
import { Reader } from "./reader.ts";

/** A client that is never sure of the network: it repeats what was not answered and resumes what broke. */
export class Client {
  readonly #ground: Ground;
  readonly #host: Host;
  readonly #ledger: Ledger;
  readonly #name: string;
  readonly #person: Person;
  #count = 0;

  constructor(ground: Ground, host: Host, ledger: Ledger, name: string) {
    this.#ground = ground;
    this.#host = host;
    this.#ledger = ledger;
    this.#name = name;
    this.#person = new Person(ground, host, ledger, (what, attempt) =>
      this.#persist(what, attempt),
    );
  }

  /** Does a few things and then no more. */
  async live(): Promise<void> {
    const { random } = this.#ground;
    await this.#pause();
    for (let left = random.between(1, 3); left > 0; left--) {
      const what = random.weighted({
        talk: 8,
        burst: 2,
        twice: 2,
        reuse: 1,
        stop: 2,
        again: 2,
        look: 1,
        leave: 1,
        decide: 2,
        rights: 1,
        clear: 0.5,
        rename: 0.3,
        remove: 0.3,
      });
      if (this.#ledger.isGone) return;
      if (what === "decide") await this.#person.decide(await this.#pending());
      await this.#person.tidy(what);
      if (what === "talk") await this.#talk(this.#message());
      if (what === "leave") await this.#post(this.#message());
      if (what === "burst")
        await Promise.all([
          this.#talk(this.#message()),
          this.#talk(this.#message()),
          this.#post(this.#message()),
        ]);
      if (what === "twice") await this.#postTwice(this.#message());
      if (what === "reuse") await this.#reuse(this.#message());
      if (what === "stop") await this.#stop();
      if (what === "again") await this.#talk({ kind: "regenerate" });
      if (what === "look") await this.#look();
      if (random.chance(0.7)) await this.#pause();
    }
  }

  /** Reads everything from the first event on, until nobody acts any more and all was seen. */
  async watch(isQuiet: () => boolean): Promise<void> {
    const reader = this.#reader();
    for (;;) {
      const after = reader.last ?? "0.0";
      const end = await this.#read(reader, { after }, () => false);
      const { status } = reader;
      const hasAll = reader.last === undefined || reader.last === status?.last;
      if (end === "end" && isQuiet() && status?.turns.length === 0 && hasAll) return;
      if (this.#ledger.isGone) return;
      // Someone may take days to answer; whoever only watches need not look each minute.
      if (reader.isWaiting) await this.#pause(86_400_000);
    }
  }

  #message(): TurnInput {
    const text = `${this.#name} says ${++this.#count}`;
    return { kind: "message", content: [{ type: "text", text }] };
  }

  #request(input: TurnInput): AcceptRequest {
    const key = `${this.#name}-${this.#ledger.sent.length}`;
    const part = input.kind === "message" ? input.content[0] : undefined;
    const text = part?.type === "text" ? part.text : null;
    this.#ledger.sent.push({ key, text, sentAt: ++this.#ledger.time, ackedAt: null });
    const whenBusy = this.#ground.random.weighted({ queue: 6, steer: 2, replace: 1 });
    return { key, digest: key, input, whenBusy };
  }

  #acknowledge({ turn, isNew }: Accepted): void {
    const { sent, news } = this.#ledger;
    if (!this.#ground.registry.isTold)
      this.#ground.violate(`[T1] ${turn.turn} is acknowledged, and nobody lists its session`);
    const at = sent.findIndex(({ key }) => key === turn.turn);
    const known = sent[at];
    if (known && known.ackedAt === null) sent[at] = { ...known, ackedAt: ++this.#ledger.time };
    if (!isNew) return;
    news.set(turn.turn, (news.get(turn.turn) ?? 0) + 1);
    if ((news.get(turn.turn) ?? 0) > 1) this.#ground.violate(`[T3] ${turn.turn} was new twice`);
  }

  /** Posts until it is answered; `null` when the session refuses. */
  async #post(input: TurnInput): Promise<Accepted | null> {
    const request = this.#request(input);
    return await this.#persist("post", async () => {
      const accepted = await this.#host.call("post", (session) => accept(session, request));
      this.#acknowledge(accepted);
      return accepted;
    });
  }

  /** Posts and follows the answer to its end. */
  async #talk(input: TurnInput): Promise<void> {
    const request = this.#request(input);
    const first = await this.#persist("talk", async () => {
      const opened = await this.#host.connect("talk", (session) => {
        const result = session.accept(request);
        const run = session.tail({ until: result.turn.turn });
        return session.whenRegistered().then(() => ({ result, run }));
      });
      this.#acknowledge(opened.result);
      return opened.connection;
    });
    if (first) await this.#follow(request.key, first);
  }

  async #follow(turn: string, first: Connection): Promise<void> {
    const reader = this.#reader();
    let followed = turn;
    const isLast = (event: SessionEvent) => {
      if (event.type === "steered" && event.message === turn) followed = event.turn;
      return event.type === "turn-end" && event.turn === followed;
    };
    let end = await this.#hear(reader, first, isLast);
    while (end !== "seen" && !this.#ledger.isGone) {
      if (this.#ground.random.chance(0.6)) await this.#person.decide(await this.#pending());
      else if (reader.isWaiting) await this.#pause(3_600_000);
      const { last } = reader;
      end = await this.#read(reader, last ? { after: last, until: turn } : { until: turn }, isLast);
    }
    if (end === "seen") this.#ledger.over.add(turn);
  }

  #reader(): Reader {
    const reader = new Reader(this.#ledger.facts, this.#ground.violate);
    this.#ledger.readers.push(reader);
    return reader;
  }

  async #read(
    reader: Reader,
    request: { readonly after?: string; readonly until?: string },
    isLast: (event: SessionEvent) => boolean,
  ): Promise<"seen" | "end" | "lost"> {
    const opened = await this.#persist("resume", () =>
      this.#host.connect("tail", (session) => ({ result: null, run: session.tail(request) })),
    );
    if (!opened && this.#ledger.isGone) return "lost";
    if (!opened) {
      this.#ground.violate(`[S1] the session refuses ${JSON.stringify(request)}`);
      return "lost";
    }
    const end = await this.#hear(reader, opened.connection, isLast);
    // One that waits in line behind a turn which waits for a person has nothing to say for long.
    const isInLine = !reader.hasSeen(request.until);
    const mayEnd = reader.isWaiting || isInLine || this.#isOver;
    if (end === "end" && request.until !== undefined && opened.connection.isFresh && !mayEnd)
      this.#ground.violate(`[S4] the stream of ${request.until} ended before its turn`);
    return end;
  }

  /** Hears a connection out, or hangs up in the middle of it. */
  async #hear(
    reader: Reader,
    connection: Connection,
    isLast: (event: SessionEvent) => boolean,
  ): Promise<"seen" | "end" | "lost"> {
    const { random, scheduler } = this.#ground;
    if (random.chance(0.15))
      scheduler.later(random.between(0, 10_000), "a client hangs up", () => connection.leave());
    const end = await reader.hearOut(connection, isLast);
    if (end !== "seen") await this.#pause();
    return end;
  }

  async #postTwice(input: TurnInput): Promise<void> {
    const request = this.#request(input);
    const post = () =>
      this.#persist("post twice", async () => {
        const accepted = await this.#host.call("post", (session) => accept(session, request));
        this.#acknowledge(accepted);
        return accepted;
      });
    const answers = await Promise.all([post(), post()]);
    const turns = new Set(answers.map((answer) => answer?.turn.turn));
    if (turns.size > 1 && !this.#isOver)
      this.#ground.violate(`[T3] one key gave ${[...turns].join(" and ")}`);
  }

  async #reuse(input: TurnInput): Promise<void> {
    const first = await this.#post(input);
    if (!first) return;
    const other = { key: first.turn.turn, digest: "another", input: this.#message() };
    const code = await this.#persist("reuse", () =>
      this.#host
        .call("reuse", (session) => session.accept(other).turn.state as string)
        .catch((error: unknown) => {
          if (error instanceof CarrelError) return error.code;
          throw error;
        }),
    );
    const isGone = code === "gone" && this.#ledger.facts.isDeleted;
    if (code !== "key_reused" && !this.#ledger.isGone && !isGone)
      this.#ground.violate(`[T3] a reused key gave ${code}`);
  }

  /** Stops what is under way, or one of the turns in line. */
  async #stop(): Promise<void> {
    const { random } = this.#ground;
    const named = random.chance(0.5)
      ? random.pick(["none", ...this.#ledger.sent.map(({ key }) => key)])
      : null;
    const stopped = await this.#persist("stop", () =>
      this.#host.call("stop", (session) => session.stop(named ?? undefined)),
    );
    if (stopped) this.#ledger.over.add(stopped.turn);
  }

  /** The calls that wait now. */
  async #pending(): Promise<readonly PendingCall[]> {
    const page = await this.#persist("pending", () =>
      this.#host.call("pending", (session) => session.history({ limit: 1 })),
    );
    return page?.status.pending ?? [];
  }

  async #look(): Promise<void> {
    await this.#persist("history", () =>
      this.#host.call("history", (session) => session.history({ limit: 4 })),
    );
    await this.#persist("state", () => this.#host.call("state", (session) => session.state()));
    await this.#persist("current", () =>
      this.#host.call("current", (session) => session.current()),
    );
  }

  /** Tries until the session answers; `null` when it says no. */
  async #persist<Result>(what: string, attempt: () => Promise<Result>): Promise<Result | null> {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof CarrelError && error.code === "gone") this.#ledger.isGone = true;
        if (error instanceof CarrelError && error.code !== "overloaded") {
          this.#ground.trace(() => `${this.#name}: ${what} is refused: ${error.code}`);
          return null;
        }
        if (!(error instanceof Unreachable || error instanceof CarrelError)) throw error;
      }
      await this.#pause();
    }
  }

  /** Whether the session was deleted, whoever knows. */
  get #isOver(): boolean {
    return this.#ledger.isGone || this.#ledger.facts.isDeleted;
  }

  #pause(atMostMs?: number): Promise<void> {
    const { random, scheduler } = this.#ground;
    const ms = atMostMs ?? random.pick([0, 20, 500, 500, 5_000, 40_000]);
    return new Promise((resolve) =>
      scheduler.later(random.between(0, ms), `${this.#name} goes on`, resolve),
    );
  }
}
