import { CarrelError } from "../../src/shared/errors.ts";
import type { Change } from "../../src/shared/workspace-changes.ts";
import { applyChanges } from "../../src/workspace/change/change.ts";
import { rebuild } from "../../src/workspace/rebuild/rebuild.ts";
import { versionRows } from "../../src/workspace/versions.ts";
import { at } from "../support/layers.ts";
import { nodeSql, openDatabase } from "../support/node-sql.ts";
import { seededRandom } from "../support/random.ts";
import { dump, runOut, settledBucket, type SettledBucket } from "../support/settled-bucket.ts";
import { BucketClock, chaoticStore, type Chaos } from "./bucket-store.ts";

/** What a run came to. */
export type BucketRun = {
  readonly violations: readonly string[];
  readonly accepted: number;
  readonly crashes: number;
};

class Crash extends Error {}

const LOWER = "knowledge/lower.md";
const BLOB = "knowledge/logo.png";
const LOGS = ["agents/main/sessions/a.log.jsonl", "b.log.jsonl"];
const TEXTS = ["AGENTS.md", "MEMORY.md", LOWER, "work/a.txt", "work/b.txt"];
const TEMPLATE = { [LOWER]: "from the template" };
const VERSIONED = ["AGENTS.md", "MEMORY.md", LOWER, BLOB];

/**
 * One bucket that takes random changes while it is settled to a store that fails in every way and while the object
 * crashes at random commits and calls. Everything is decided by `seed`. At last nothing fails any more, and the store
 * alone must give the same bucket.
 */
export async function runBucket(seed: number, steps = 60): Promise<BucketRun> {
  const world = new World(seed);
  for (let step = 0; step < steps; step += 1) await world.step();
  await world.end();
  const { violations, accepted, crashes } = world;
  return { violations, accepted, crashes };
}

class World {
  readonly violations: string[] = [];
  accepted = 0;
  crashes = 0;
  readonly #random: () => number;
  readonly #clock = new BucketClock();
  readonly #database = openDatabase();
  readonly #chaos: Chaos;
  readonly #places: ReturnType<typeof chaoticStore>;
  /** What every path must show. */
  readonly #shown = new Map<string, string | null>([[LOWER, TEMPLATE[LOWER] ?? ""]]);
  /** What was overwritten or deleted where versions are kept. */
  readonly #earlier: { readonly path: string; readonly text: string }[] = [];
  #bucket: SettledBucket;
  #isDead = { now: false };
  #isBusy = false;
  #ops = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#chaos = {
      random: this.#random,
      clock: this.#clock,
      isOver: false,
      meanwhile: () => this.#meanwhile(),
    };
    this.#places = chaoticStore(this.#chaos);
    this.#bucket = this.#wake();
  }

  /** A change or a rest, then whatever is due. */
  async step(): Promise<void> {
    await this.#change();
    await this.#clock.sleep(this.#random() ** 2 * 60_000);
    const { settler } = this.#bucket;
    if ((settler.due() ?? Infinity) <= this.#clock.now()) await settler.run();
    if (!this.#isDead.now) return;
    this.#restart();
    await this.#compare("after a crash");
  }

  async end(): Promise<void> {
    this.#chaos.isOver = true;
    for (const rest of [0, 60_000]) {
      await this.#clock.sleep(rest);
      await runOut(this.#bucket.settler, this.#clock);
    }
    await this.#compare("at the end");
    const left = this.#bucket.rows.sql.all("SELECT * FROM unsure");
    if (left.length > 0) this.violations.push("[W10] keys stay unsure");
    const rebuilt = settledBucket({ ...this.#of(this.#places.inner) });
    await rebuild(rebuilt);
    const [here, there] = [await dump(this.#bucket), await dump(rebuilt)];
    for (const line of here) if (!there.includes(line)) this.#violate("W11", "lost", line);
    for (const line of there) if (!here.includes(line)) this.#violate("W11", "is extra", line);
  }

  #violate(promise: string, what: string, line: string): void {
    this.violations.push(`[${promise}] ${what}: ${line.slice(0, 200)}`);
  }

  #of(store: SettledBucket["store"]) {
    return { store, clock: this.#clock, template: TEMPLATE, atOnce: 1, quietMs: 10_000 };
  }

  /** Over the same tables; a crash ends all that this instance would still do. */
  #wake(): SettledBucket {
    const isDead = { now: false };
    const alive = () => {
      if (isDead.now) throw new Crash("dead");
    };
    const maybeCrash = (chance: number) => {
      alive();
      if (this.#chaos.isOver || this.#random() >= chance) return;
      isDead.now = true;
      throw new Crash("crash");
    };
    const sql = nodeSql(this.#database);
    const { store } = this.#places;
    const around = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
      maybeCrash(0.02);
      const answer = await call();
      maybeCrash(0.02);
      return answer;
    };
    const bucket = settledBucket({
      ...this.#of({
        get: (...asked) => around(() => store.get(...asked)),
        put: (...asked) => around(() => store.put(...asked)),
        delete: (...asked) => around(() => store.delete(...asked)),
        list: (...asked) => around(() => store.list(...asked)),
      }),
      sql: {
        ...sql,
        run: (...asked) => (alive(), sql.run(...asked)),
        transaction: (work) => (alive(), sql.transaction(work)),
      },
      point: () => maybeCrash(0.01),
    });
    this.#isDead = isDead;
    return bucket;
  }

  #restart(): void {
    this.crashes += 1;
    this.#bucket = this.#wake();
  }

  /** While a call of the write-behind is under way. */
  async #meanwhile(): Promise<void> {
    if (this.#isBusy || this.#isDead.now) return;
    await this.#change();
  }

  /** Makes a change until it is answered, across crashes, always under the same operation id. */
  async #change(): Promise<void> {
    this.#isBusy = true;
    const change = this.#someChange();
    const op = `op-${(this.#ops += 1)}`;
    for (let tries = 0; tries < 30; tries += 1) {
      try {
        await applyChanges(this.#bucket, { by: "user:ann", changes: [change], op });
        this.accepted += 1;
        this.#remember(change);
        break;
      } catch (error) {
        if (this.#isDead.now) this.#restart();
        else if (error instanceof CarrelError && error.code !== "overloaded") break;
        else if (!(error instanceof CarrelError)) throw error;
        else await this.#clock.sleep(1_000);
      }
    }
    this.#isBusy = false;
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  #someChange(): Change {
    const what = this.#random();
    const text = `${this.#ops} ${"x".repeat(Math.floor(this.#random() * 40))}\n`;
    if (what < 0.25) {
      const long = this.#random() < 0.2 ? `${"y".repeat(200_000)}\n` : "";
      return { kind: "append", path: this.#pick(LOGS), text: text + long };
    }
    if (what < 0.35) {
      const bytes = new Uint8Array([0, Math.floor(this.#random() * 3)]);
      return { kind: "write", path: BLOB, content: { bytes } };
    }
    if (what < 0.5) return { kind: "delete", path: this.#pick([...TEXTS, ...LOGS, BLOB]) };
    if (what < 0.55) return { kind: "reset", path: LOWER };
    const path = this.#pick(TEXTS);
    if (what < 0.7) return { kind: "append", path, text };
    // Few different texts, so that old bytes come again.
    return { kind: "write", path, content: { text: this.#pick(["", "one\n", "two\r\n", text]) } };
  }

  #remember(change: Change): void {
    const { path } = change;
    const before = this.#shown.get(path) ?? null;
    const isOwn = this.#owned.has(path);
    if (change.kind === "append") this.#shown.set(path, (before ?? "") + change.text);
    if (change.kind === "write") this.#shown.set(path, plain(change.content));
    if (change.kind === "delete") this.#shown.set(path, null);
    if (change.kind === "reset") this.#shown.set(path, TEMPLATE[LOWER] ?? "");
    const isReplaced = change.kind !== "append" && isOwn && before !== null;
    if (isReplaced && VERSIONED.includes(path)) this.#earlier.push({ path, text: before });
    if (change.kind === "write" || change.kind === "append") this.#owned.add(path);
    else this.#owned.delete(path);
  }

  readonly #owned = new Set<string>();

  /** Everything that was accepted is there. */
  async #compare(when: string): Promise<void> {
    const { layers, rows, contents } = this.#bucket;
    const wasOver = this.#chaos.isOver;
    this.#chaos.isOver = true;
    for (const [path, text] of this.#shown) {
      const entry = layers.overlay().get(at(path));
      const found = entry ? plain(await layers.content(entry)) : null;
      if (found !== text) this.#violate("W11", `${path} ${when}`, `${found} instead of ${text}`);
    }
    const kept = new Map<string, string[]>();
    for (const path of VERSIONED) {
      const texts = versionRows(rows, at(path)).filter(({ type }) => type !== "gone");
      kept.set(
        path,
        await Promise.all(texts.map(async (it) => plain(await contents.readVersion(it)))),
      );
    }
    for (const { path, text } of this.#earlier)
      if (!kept.get(path)?.includes(text)) this.#violate("W15", `${path} ${when}`, text);
    this.#chaos.isOver = wasOver;
  }
}

const plain = (content: { text: string } | { bytes: Uint8Array }): string =>
  "text" in content ? content.text : `bytes ${content.bytes.join()}`;
