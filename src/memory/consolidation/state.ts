import * as z from "zod";

/** Where it is written down how far ledgers were read. */
export const STATE = "memory/.consolidation/state.json";

/** Names an entry of a ledger: `2026-11-30#<id>`. */
export type EntryRef = string;

export const entryRef = (day: string, id: string): EntryRef => `${day}#${id}`;

/** The day and the id in such a name; `null` for anything else. */
export function parseRef(ref: EntryRef): { readonly day: string; readonly id: string } | null {
  const [, day, id] = /^(\d{4}-\d{2}-\d{2})#([0-9a-z]{1,20})$/.exec(ref) ?? [];
  return day === undefined || id === undefined ? null : { day, id };
}

/** Ids kept of entries that were read; of older days it is only known that all of them were. */
const MOST_READ = 5_000;
const MOST_EXCLUDED = 1_000;

const State = z.object({
  version: z.literal(1),
  /** By day: the ids that were read, or that all were. */
  days: z.record(z.string().max(10), z.union([z.literal("all"), z.array(z.string().max(20))])),
  /** Ledgers as they were when all of their entries were read: path and etag. */
  files: z.record(z.string().max(60), z.string().max(60)),
  /** MEMORY.md had entries when it was written last. */
  hadEntries: z.boolean(),
  /** Entries of ledgers that were made into something a person took back. */
  excluded: z.array(z.string().max(60)),
  /** Another one each time that something is forgotten, so that what was planned before comes to nothing. */
  epoch: z.string().max(60).optional(),
});

/** How far ledgers were read. Written with MEMORY.md, in one commit. */
export type State = {
  readonly days: ReadonlyMap<string, ReadonlySet<string> | "all">;
  readonly files: ReadonlyMap<string, string>;
  readonly hadEntries: boolean;
  readonly excluded: ReadonlySet<EntryRef>;
  readonly epoch: string | null;
};

/** Nothing was read. */
export const noState = (): State => ({
  days: new Map(),
  files: new Map(),
  hadEntries: false,
  excluded: new Set(),
  epoch: null,
});

/** What the file says; nothing was read where there is none, or one that cannot be understood. */
export function parseState(text: string | null): State {
  const parsed = text === null ? null : State.safeParse(jsonIn(text)).data;
  if (!parsed) return noState();
  const days = Object.entries(parsed.days).map(
    ([day, ids]) => [day, ids === "all" ? ids : new Set(ids)] as const,
  );
  return {
    days: new Map(days),
    files: new Map(Object.entries(parsed.files)),
    hadEntries: parsed.hadEntries,
    excluded: new Set(parsed.excluded),
    epoch: parsed.epoch ?? null,
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The file's text. Bounded: of what was read long ago only the day is kept. */
export function writeState(state: State): string {
  const days = new Map<string, readonly string[] | "all">();
  let room = MOST_READ;
  for (const [day, ids] of [...state.days].toSorted(([a], [b]) => (a < b ? 1 : -1))) {
    const isKept = ids !== "all" && (ids.size <= room || days.size === 0);
    days.set(day, isKept ? [...ids] : "all");
    room -= isKept ? ids.size : 0;
  }
  const value: z.input<typeof State> = {
    version: 1,
    days: Object.fromEntries(
      [...days].reverse().map(([day, ids]) => [day, ids === "all" ? ids : [...ids]]),
    ),
    files: Object.fromEntries(state.files),
    hadEntries: state.hadEntries,
    excluded: [...state.excluded].slice(-MOST_EXCLUDED),
    ...(state.epoch === null ? {} : { epoch: state.epoch }),
  };
  return `${JSON.stringify(value)}\n`;
}

/** Whether no run is to be shown this entry: one has read it, or a person took back what was made of it. */
export const isRead = ({ days, excluded }: State, day: string, id: string): boolean => {
  const ids = days.get(day);
  return ids === "all" || (ids?.has(id) ?? false) || excluded.has(entryRef(day, id));
};

/** The same, with these entries read. */
export function withRead(state: State, refs: readonly EntryRef[]): State {
  const days = new Map(state.days);
  for (const parsed of refs.map(parseRef)) {
    if (parsed === null) continue;
    const ids = days.get(parsed.day) ?? new Set();
    if (ids !== "all") days.set(parsed.day, new Set([...ids, parsed.id]));
  }
  return { ...state, days };
}

/** The same, without these entries for all runs to come: a person took back what was made of them. */
export const withExcluded = (state: State, refs: readonly EntryRef[]): State => ({
  ...state,
  excluded: new Set([...state.excluded, ...refs.filter((ref) => parseRef(ref) !== null)]),
});

/** The same, with these entries to be read again. */
export function withUnread(state: State, refs: readonly EntryRef[]): State {
  const days = new Map(state.days);
  const files = new Map(state.files);
  for (const parsed of refs.map(parseRef)) {
    const ids = parsed === null ? undefined : days.get(parsed.day);
    if (parsed === null || ids === undefined || ids === "all") continue;
    days.set(parsed.day, new Set([...ids].filter((id) => id !== parsed.id)));
    for (const path of files.keys()) if (path.endsWith(`/${parsed.day}.md`)) files.delete(path);
  }
  return { ...state, days, files };
}
