import { describe, expect, it } from "vitest";
import { EventLog } from "../../src/session/event-log.ts";
import { Journal } from "../../src/session/journal.ts";
import { Bell, runTail, type Tail } from "../../src/session/tail.ts";
import { START, type SessionStatus } from "../../src/shared/events.ts";
import { KEEP_ALIVE } from "../../src/shared/sse.ts";
import { identified, parseFrames } from "../support/client.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { append, bigResult, emptyTables } from "./journal-fixture.ts";

const status: SessionStatus = {
  type: "status",
  pending: [],
  mode: "DEFAULT" as const,
  turns: [],
  last: "0.0",
};

/** A log that grows, and readers of it. */
class Source {
  readonly clock = new ManualClock();
  readonly bell = new Bell();
  isBusy = false;
  isOver = false;
  readonly #sql = emptyTables();
  readonly #journal = new Journal(this.#sql);
  #seq = 0;

  add(chars = 5): void {
    append(this.#sql, this.#journal, [bigResult(++this.#seq, chars)]);
    this.bell.ring();
  }

  tail(more: Partial<Tail> = {}): Tail {
    return {
      log: new EventLog(this.#journal, () => null),
      bell: this.bell,
      clock: this.clock,
      after: () => START,
      status: () => status,
      isLast: () => false,
      isOver: () => this.isOver,
      isBusy: () => this.isBusy,
      ...more,
    };
  }
}

/** A reader that takes each write at once, or when it is told to. */
class Reader {
  readonly writes: string[] = [];
  state: "reading" | "ended" | "broken" = "reading";
  /** Set to make the next writes wait. */
  gate: Promise<void> = Promise.resolve();
  pending = 0;

  read(tail: Tail): this {
    runTail(tail, async (text) => {
      this.pending++;
      this.writes.push(text);
      await this.gate;
      this.pending--;
    }).then(
      () => (this.state = "ended"),
      () => (this.state = "broken"),
    );
    return this;
  }

  get ids(): string[] {
    return identified(parseFrames(this.writes.join(""))).map(({ id }) => id);
  }

  get keepAlives(): number {
    return this.writes.filter((text) => text === KEEP_ALIVE).length;
  }
}

describe("a tail", () => {
  it("[S5] says first, and without an id, how things stand, also when there is nothing to read", async () => {
    const source = new Source();
    const early = new Reader().read(source.tail());
    await source.clock.pass(0);
    expect(parseFrames(early.writes.join(""))).toEqual([{ id: null, event: status }]);
    source.add();
    const late = new Reader().read(source.tail());
    await source.clock.pass(0);
    expect(parseFrames(late.writes[0] ?? "").map(({ event }) => event.type)).toEqual([
      "status",
      "tool-result",
    ]);
    expect(early.ids).toEqual(["1.0"]);
  });

  it("gives what comes, when it comes, to every reader", async () => {
    const source = new Source();
    const readers = [new Reader().read(source.tail()), new Reader().read(source.tail())];
    source.add();
    await source.clock.pass(0);
    source.add();
    source.add();
    await source.clock.pass(10);
    for (const { ids } of readers) expect(ids).toEqual(["1.0", "2.0", "3.0"]);
  });

  it("begins after its cursor", async () => {
    const source = new Source();
    source.add();
    source.add();
    const reader = new Reader().read(source.tail({ after: () => ({ seq: 1, offset: 0 }) }));
    await source.clock.pass(0);
    expect(reader.ids).toEqual(["2.0"]);
  });

  it("[S5] waits with its status while the turn it follows is in line, and then begins at its start", async () => {
    const source = new Source();
    source.isBusy = true;
    source.add();
    let start: number | null = null;
    const after = () => (start === null ? null : { seq: start, offset: 0 });
    const reader = new Reader().read(source.tail({ after }));
    await source.clock.pass(100);
    source.add();
    await source.clock.pass(100);
    expect({ ids: reader.ids, writes: reader.writes.length }).toEqual({ ids: [], writes: 1 });
    start = 1;
    source.bell.ring();
    await source.clock.pass(0);
    expect(reader.ids).toEqual(["2.0"]);
  });

  it("[S4] ends with the last event that it is there for, though more was said", async () => {
    const source = new Source();
    for (let n = 0; n < 3; n++) source.add();
    const isLast: Tail["isLast"] = ({ event }) =>
      event.type === "tool-result" && event.call === "c2";
    const reader = new Reader().read(source.tail({ isLast }));
    await source.clock.pass(0);
    expect({ ids: reader.ids, state: reader.state }).toEqual({
      ids: ["1.0", "2.0"],
      state: "ended",
    });
  });

  it("ends when the turn it follows is over, after all that was said", async () => {
    const source = new Source();
    const reader = new Reader().read(source.tail());
    await source.clock.pass(0);
    source.isOver = true;
    source.add(30_000);
    source.add();
    await source.clock.pass(0);
    expect({ ids: reader.ids, state: reader.state }).toEqual({
      ids: ["1.0", "2.0"],
      state: "ended",
    });
    expect(source.clock.sleeping).toBe(0);
  });

  it("[S6] keeps its line open with a comment every 15 s", async () => {
    const source = new Source();
    source.isBusy = true;
    const reader = new Reader().read(source.tail());
    await source.clock.pass(14_999);
    expect(reader.keepAlives).toBe(0);
    await source.clock.pass(1);
    expect(reader.keepAlives).toBe(1);
    await source.clock.pass(150_000);
    expect(reader.keepAlives).toBe(11);
    expect(reader.state).toBe("reading");
  });

  it("[S6] sends its comments also while the log grows", async () => {
    const source = new Source();
    const reader = new Reader().read(source.tail());
    for (let second = 0; second < 60; second++) {
      source.add();
      await source.clock.pass(1_000);
    }
    expect(reader.keepAlives).toBeGreaterThanOrEqual(3);
    expect(reader.ids).toHaveLength(60);
  });

  it("ends after a minute in which nothing was said and no turn was open", async () => {
    const source = new Source();
    const reader = new Reader().read(source.tail());
    await source.clock.pass(40_000);
    source.add();
    await source.clock.pass(59_000);
    expect(reader.state).toBe("reading");
    await source.clock.pass(20_000);
    expect(reader.state).toBe("ended");
    expect(source.clock.sleeping).toBe(0);
  });

  it("[S3] holds one write for a reader that stopped reading, of about 10,000 characters", async () => {
    const source = new Source();
    const reader = new Reader();
    reader.gate = new Promise(() => {});
    reader.read(source.tail());
    for (let n = 0; n < 100; n++) source.add(5_000);
    await source.clock.pass(300_000);
    expect(reader.pending).toBe(1);
    expect(reader.writes).toHaveLength(1);
    const other = new Reader().read(source.tail());
    await source.clock.pass(0);
    expect(other.ids).toHaveLength(100);
    for (const text of other.writes) expect(text.length).toBeLessThan(16_000);
  });

  it("[S3] goes on where a slow reader was once it reads again", async () => {
    const source = new Source();
    const reader = new Reader();
    let open = () => {};
    reader.gate = new Promise((resolve) => (open = resolve));
    reader.read(source.tail());
    for (let n = 0; n < 20; n++) source.add(5_000);
    await source.clock.pass(90_000);
    open();
    await source.clock.pass(0);
    expect(reader.ids).toEqual(Array.from({ length: 20 }, (_, n) => `${n + 1}.0`));
  });

  it("[S6] keeps the line of a slow reader open once it reads again, and ends when it is idle", async () => {
    const source = new Source();
    const reader = new Reader();
    let open = () => {};
    reader.gate = new Promise((resolve) => (open = resolve));
    reader.read(source.tail());
    await source.clock.pass(20_000);
    open();
    await source.clock.pass(30_000);
    expect(reader.keepAlives).toBeGreaterThanOrEqual(2);
    await source.clock.pass(60_000);
    expect(reader.state).toBe("ended");
  });

  it("[S3] that cannot write ends alone", async () => {
    const source = new Source();
    const broken = new Reader();
    broken.gate = Promise.reject(new Error("the reader left"));
    broken.read(source.tail());
    const other = new Reader().read(source.tail());
    source.add();
    await source.clock.pass(15_000);
    expect([broken.state, other.state]).toEqual(["broken", "reading"]);
    source.add();
    await source.clock.pass(0);
    expect(other.ids).toEqual(["1.0", "2.0"]);
    expect(source.clock.sleeping).toBe(1);
  });
});

describe("a bell", () => {
  it("wakes everyone who waited, once", async () => {
    const bell = new Bell();
    let woken = 0;
    for (let n = 0; n < 3; n++) void bell.next().then(() => woken++);
    bell.ring();
    await Promise.resolve();
    expect(woken).toBe(3);
    bell.ring();
    void bell.next().then(() => woken++);
    await Promise.resolve();
    expect(woken).toBe(3);
  });
});
