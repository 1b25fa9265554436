import { NO_TURN } from "../../src/session/entries.ts";
import { describe, expect, it } from "vitest";
import { sessionLog } from "../../src/turn/records/session-log.ts";
import { LogFiles } from "../support/log-files.ts";
import { seededRandom } from "../support/random.ts";
import type { ScriptedStep } from "../support/scripted-model.ts";
import { SessionLab } from "./session-lab.ts";

const LOG = "agents/main/sessions/s1.log.jsonl";
const TURNS = 25;

/** A session whose log is written over a bad line, by objects that vanish. */
class BadLine {
  readonly files = new LogFiles();
  readonly lab: SessionLab;
  readonly #random: () => number;
  #isBad = true;
  /** What an object that vanished waits for never comes. */
  #life = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.files.before = () => this.#wire();
    this.files.after = () => this.#wire();
    this.lab = new SessionLab({
      capabilities: [sessionLog],
      workspace: () => this.files.workspace,
    });
    this.lab.onPoint = (name) => {
      if (this.#isBad && name.startsWith("commit:job") && this.chance(0.1))
        throw new Error("disk I/O error");
    };
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  between(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  /** Another object takes over; the one before vanished, or goes on beside it for a while. */
  replace(): void {
    if (this.chance(0.7)) this.#life++;
    this.lab.restart();
  }

  /** The alarm goes off; what it waits for takes its time. */
  fireAlarm(): void {
    this.lab.alarm = null;
    void this.lab.session.alarm();
  }

  async repair(): Promise<void> {
    this.#isBad = false;
    this.#life++;
    this.lab.restart();
    this.lab.session.current();
    await this.lab.settle();
    while (await this.lab.fireAlarm());
  }

  async #wire(): Promise<void> {
    if (!this.#isBad) return;
    const life = this.#life;
    if (this.chance(0.3)) await this.lab.clock.sleep(this.between(1, 20_000));
    if (life !== this.#life) await new Promise(() => {});
    if (this.chance(0.3)) throw new Error("connection lost");
  }

  turn(no: number): readonly ScriptedStep[] {
    const label = JSON.stringify({ label: `l${no}` });
    const call = { calls: [{ name: "keyed_thing", input: label }] };
    const text = { text: `${no}: ${"word ".repeat(this.between(1, 20))}` };
    if (this.chance(0.1)) return [{ fail: "model_auth" }];
    if (this.chance(0.03)) return [{ text: `${no}: `.repeat(90_000), batches: 1 }];
    return this.chance(0.4) ? [call, text] : [text];
  }
}

/** Requests that repeat what was done, and of these the ones that add to it. */
function repeats({ requests }: LogFiles): { readonly repeated: number; readonly grown: number } {
  const done = new Set<string>();
  let [repeated, grown] = [0, 0];
  for (const { changes } of requests) {
    const ops = changes.flatMap((change) => (change.kind === "append" ? (change.op ?? []) : []));
    const known = ops.filter((op) => done.has(op)).length;
    if (known > 0) repeated++;
    if (known > 0 && known < ops.length) grown++;
    for (const op of ops) done.add(op);
  }
  return { repeated, grown };
}

describe("the log of a session whose workspace fails, loses replies and delays", () => {
  const seen = { repeated: 0, grown: 0 };

  it.each(Array.from({ length: 30 }, (_, seed) => seed))(
    "[T11, W10] holds every ended turn once and in order, seed %i",
    async (seed) => {
      const line = new BadLine(seed);
      const { lab, files } = line;
      for (let no = 1; no <= TURNS; no++) {
        lab.say(`t${no}`, line.turn(no));
        if (line.chance(0.6)) await lab.settle();
        if (line.chance(0.2)) lab.session.stop();
        if (line.chance(0.3)) await lab.clock.pass(line.between(0, 5_000));
        if (line.chance(0.2)) line.fireAlarm();
        if (line.chance(0.15)) line.replace();
      }
      await line.repair();
      expect(files.lines(LOG)).toEqual(lab.entries().filter(({ turn }) => turn !== NO_TURN));
      expect(lab.entries().filter(({ kind }) => kind === "end")).toHaveLength(TURNS);
      expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
      expect(lab.alarm).toBeNull();
      const { repeated, grown } = repeats(files);
      seen.repeated += repeated;
      seen.grown += grown;
    },
  );

  it("[W10] was asked to repeat what it had done, and more than that", () => {
    expect(seen.repeated).toBeGreaterThan(30);
    expect(seen.grown).toBeGreaterThan(10);
    console.log(`${seen.repeated} batches repeated, ${seen.grown} of them grown`);
  });
});
