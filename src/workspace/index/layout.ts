import type { WorkspacePath } from "../layers/path.ts";
import type { HeldFile } from "./tables.ts";

/** The place of a file's units among all units. */
export type Span = {
  readonly path: WorkspacePath;
  readonly no: number;
  readonly start: number;
  readonly end: number;
  /** Words of the file. */
  readonly length: number;
};

/** Words of the window about each unit, and their mean, which is never 0. */
export type Windows = { readonly lengths: Uint32Array; readonly mean: number };

/** All units of an index in a row, in the order of their numbers, with what ranking needs of them. */
export type Layout = {
  readonly count: number;
  readonly spans: readonly Span[];
  readonly byNo: ReadonlyMap<number, Span>;
  /** For each unit, which of the spans it lies in. */
  readonly spanOf: Uint32Array;
  /** Each unit alone, with its neighbours, and with three to each side. */
  readonly alone: Windows;
  readonly near: Windows;
  readonly wide: Windows;
  /** Words of a file in the mean; never 0. */
  readonly meanFile: number;
  readonly times: Float64Array;
};

/** The layout of these files. */
export function createLayout(files: Iterable<HeldFile>): Layout {
  const spans: Span[] = [];
  let count = 0;
  const all = [...files].toSorted((a, b) => a.no - b.no);
  for (const { path, no, lengths } of all) {
    const length = lengths.reduce((sum, words) => sum + words, 0);
    spans.push({ path, no, start: count, end: count + lengths.length, length });
    count += lengths.length;
  }
  const own = new Uint32Array(count);
  const times = new Float64Array(count);
  const spanOf = new Uint32Array(count);
  for (const [at, file] of all.entries()) {
    const start = spans[at]?.start ?? 0;
    own.set(file.lengths, start);
    times.set(file.times, start);
    spanOf.fill(at, start, spans[at]?.end);
  }
  const total = spans.reduce((sum, { length }) => sum + length, 0);
  return {
    count,
    spans,
    byNo: new Map(spans.map((span) => [span.no, span])),
    spanOf,
    alone: windowsOf(own, spans, 0),
    near: windowsOf(own, spans, 1),
    wide: windowsOf(own, spans, 3),
    meanFile: total / spans.length || 1,
    times,
  };
}

function windowsOf(own: Uint32Array, spans: readonly Span[], reach: number): Windows {
  const lengths = new Uint32Array(own.length);
  let sum = 0;
  for (const { start, end } of spans) {
    let words = 0;
    for (let at = start; at < Math.min(end, start + reach); at += 1) words += own[at] ?? 0;
    for (let at = start; at < end; at += 1) {
      if (at + reach < end) words += own[at + reach] ?? 0;
      if (at - reach - 1 >= start) words -= own[at - reach - 1] ?? 0;
      lengths[at] = words;
      sum += words;
    }
  }
  return { lengths, mean: sum / own.length || 1 };
}
