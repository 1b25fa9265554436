import { describe, expect, it } from "vitest";
import { CarrelError } from "../../../src/shared/errors.ts";
import type { Change } from "../../../src/shared/workspace-changes.ts";
import type { Content, Manifest } from "../../../src/shared/workspace-files.ts";
import { applyChanges } from "../../../src/workspace/change/change.ts";
import type { SharedLayer } from "../../../src/workspace/layers/layers.ts";
import { randomChanges, randomLayer, type Random } from "../../support/change-commands.ts";
import { lineOf, textOf, type ModelLayer } from "../../support/model-file.ts";
import { ModelWorkspace, Refused } from "../../support/model-workspace.ts";
import { seededRandom } from "../../support/random.ts";
import { BY, templateOf } from "../../support/bucket-parts.ts";
import { writableBucket, type WritableBucket } from "../../support/writable-bucket.ts";

const limits = {
  textBytes: 64,
  blobBytes: 80,
  files: 12,
  bytes: 400,
  logs: 2,
  logBytes: 90,
  versions: 3,
};

const flat = (layer: ModelLayer) => [...layer.values()].flatMap((unit) => [...unit]);

function sharedLayer(layer: ModelLayer, version: number): SharedLayer {
  const files = flat(layer);
  const manifest: Manifest = {
    version,
    files: files.map(([path, { type, data }]) => {
      const at = { at: 0, by: "user:admin" };
      return { path, version, type, size: data.length, executable: false, etag: "1", ...at };
    }),
    whiteouts: [...layer].flatMap(([unit, held]) => (held.size === 0 ? [unit] : [])),
  };
  return {
    manifest: (known) => Promise.resolve(known === version ? "unchanged" : manifest),
    async read(path) {
      const found = files.find(([name]) => name === path);
      await Promise.resolve();
      if (!found) throw new CarrelError("not_found", "It does not exist.");
      return { etag: "1", content: { text: textOf(found[1].data) } };
    },
  };
}

/** A bucket and its model over the same lower layers, and all that a sequence does to them. */
class Pair {
  readonly model = new ModelWorkspace(limits);
  readonly #random: Random;
  #bucket: WritableBucket;
  #ops = 0;
  /** Ids of appends that were done. */
  readonly #done = new Set<string>();

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#bucket = this.#wake();
  }

  async step(): Promise<void> {
    const random = this.#random;
    const what = random();
    if (what < 0.02) this.#bucket = this.#wake();
    else if (what < 0.05) this.#bucket = this.#wake(this.#bucket);
    else await this.#change(randomChanges(random));
  }

  /** New tables of rows over the same database; without one, other lower layers, too. */
  #wake(of?: WritableBucket): WritableBucket {
    const old = of ?? this.#bucket;
    if (!of) {
      const random = this.#random;
      this.model.lower = [randomLayer(random, "s", true), randomLayer(random, "t", false)];
    }
    const [shared, template] = this.model.lower;
    const texts = flat(template).map(([path, { data }]) => [path, textOf(data)] as const);
    return writableBucket({
      ...(old && { sql: old.sql, store: old.store, clock: old.clock }),
      limits,
      layersOf: { shared: sharedLayer(shared, 1), template: templateOf(Object.fromEntries(texts)) },
    });
  }

  /** Some appends get an id, now and then one that was used before. */
  #withOps(changes: readonly Change[]): Change[] {
    return changes.map((change) => {
      if (change.kind !== "append" || this.#random() < 0.5) return change;
      const old = Math.ceil(this.#random() * this.#ops);
      return { ...change, op: `append-${this.#random() < 0.5 ? old : (this.#ops += 1)}` };
    });
  }

  async #change(bare: readonly Change[]): Promise<void> {
    const changes = this.#withOps(bare);
    const ops = new Set<string>();
    const fresh = changes.filter((change) => {
      if (change.kind !== "append" || change.op === undefined) return true;
      return !this.#done.has(change.op) && ops.size < ops.add(change.op).size;
    });
    const op = this.#random() < 0.1 ? `op-${(this.#ops += 1)}` : undefined;
    const request = { by: BY, changes, ...(op !== undefined && { op }) };
    const told = `${JSON.stringify(changes)}`;
    let expected = "done";
    try {
      this.model.request(fresh);
      for (const done of ops) this.#done.add(done);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      expected = error.message;
    }
    let answer: unknown;
    let outcome = "done";
    try {
      answer = await applyChanges(this.#bucket, request);
    } catch (error) {
      if (!(error instanceof CarrelError)) throw error;
      outcome = error.code;
    }
    expect(`${outcome} ${told}`).toBe(`${expected} ${told}`);
    if (op !== undefined && outcome === "done")
      expect(await applyChanges(this.#bucket, request)).toEqual(answer);
  }

  async check(): Promise<void> {
    await this.#bucket.layers.refresh();
    const { layers } = this.#bucket;
    const lines: string[] = [];
    for (const entry of layers.overlay().entries) {
      const { path, layer, file } = entry;
      const data = dataOf(await layers.content(entry));
      expect(file.size).toBe(data.length);
      lines.push(lineOf(path, layer, { type: file.type, data, executable: file.executable }));
    }
    expect(lines.join("\n")).toBe(this.model.lines().join("\n"));
  }

  /** Every text is referred to once, and the totals in memory are those of the rows. */
  checkRows(): void {
    const { rows, totals, sql } = this.#bucket;
    const bodies = sql.all<{ body: number }>("SELECT DISTINCT body FROM part ORDER BY body");
    const named = sql.all<{ body: number }>(
      `SELECT body FROM file WHERE body IS NOT NULL UNION ALL
       SELECT body FROM version WHERE body IS NOT NULL ORDER BY body`,
    );
    expect(bodies).toEqual(named);
    const own = [...rows.files.values()].filter(({ type }) => type !== "gone");
    const { files, logs } = totals.totals;
    expect(files + logs).toBe(own.length);
    const sizes = own.map(({ type, size }) => (type === "log" ? 0 : size));
    expect(totals.totals.bytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
    const [most] = sql.all<{ count: number }>(
      "SELECT count(*) AS count FROM version GROUP BY path ORDER BY 1 DESC",
    );
    expect(most?.count ?? 0).toBeLessThanOrEqual(limits.versions);
    const unhashed = own.filter(({ type, sha256 }) => type === "blob" && sha256?.length !== 64);
    expect(unhashed).toEqual([]);
  }
}

const dataOf = (content: Content): string =>
  "text" in content
    ? Buffer.from(content.text, "utf8").toString("latin1")
    : Buffer.from(content.bytes).toString("latin1");

/** To see one sequence again, run it alone: `await sequence(<seed>)`. */
async function sequence(seed: number): Promise<void> {
  const pair = new Pair(seed);
  let step = 0;
  try {
    for (step = 1; step <= 50; step += 1) {
      await pair.step();
      if (step % 10 === 0) await pair.check();
    }
    pair.checkRows();
  } catch (error) {
    throw new Error(`sequence ${seed}, step ${step}: ${String(error)}`, { cause: error });
  }
}

describe("a bucket against a model", () => {
  it("[W4] [W5] [W6] [W15] [W16] 1,000 sequences of 50 requests leave the same tree", async () => {
    const seeds = Array.from({ length: 1_000 }, (_, at) => at + 1);
    // A few at a time, since each waits for its digests.
    while (seeds.length > 0) await Promise.all(seeds.splice(0, 10).map(sequence));
  }, 60_000);
});
