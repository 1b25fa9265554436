import type { Change } from "../../src/shared/workspace-changes.ts";
import type { Content } from "../../src/shared/workspace-files.ts";
import {
  bytesOf,
  hasPast,
  isBelow,
  isLogName,
  isOwnOnly,
  lineOf,
  objectIn,
  patched,
  plain,
  textOf,
  totalsOf,
  unitIn,
  type ModelFile,
  type ModelLayer,
  type ModelLimits,
} from "./model-file.ts";

type Past = ModelFile | "deleted" | "reset";
type State = { own: ModelLayer; past: Map<string, Past[]> };

/** Thrown where the workspace throws a `CarrelError` of this code. */
export class Refused extends Error {}

const refuse = (code: string): never => {
  throw new Refused(code);
};

/**
 * What a bucket over two lower layers does, said as plainly as possible: each change copies maps. Knows nothing of
 * paths where a file and a directory have one name.
 */
export class ModelWorkspace {
  lower: [ModelLayer, ModelLayer] = [new Map(), new Map()];
  readonly limits: ModelLimits;
  #state: State = { own: new Map(), past: new Map() };
  /** What was touched since the request began, with why it is gone. */
  #touched = new Map<string, "put" | "deleted" | "reset">();

  constructor(limits: ModelLimits) {
    this.limits = limits;
  }

  /** Applies all or throws `Refused`. */
  request(changes: readonly Change[]): void {
    const before = this.#state;
    this.#state = { own: new Map(before.own), past: new Map(before.past) };
    this.#touched = new Map();
    try {
      for (const change of changes)
        if (change.kind === "write") this.#piece(change.path, change.content);
      for (const change of changes)
        if ("expect" in change && change.expect === "nope") refuse("conflict");
      for (const change of changes) this.#apply(change);
      this.#checkQuota(before.own);
      this.#remember(before.own);
    } catch (error) {
      this.#state = before;
      throw error;
    }
  }

  /** Path, layer, type, flag and bytes of everything that shows, sorted. */
  lines(): string[] {
    return this.#units()
      .flatMap((unit) => {
        const { files, layer } = this.#shown(unit);
        return [...files].map(([path, file]) => ({ path, line: lineOf(path, layer, file) }));
      })
      .toSorted((a, b) => (a.path < b.path ? -1 : 1))
      .map(({ line }) => line);
  }

  #units(): string[] {
    return [...new Set([this.#state.own, ...this.lower].flatMap((layer) => [...layer.keys()]))];
  }

  #shown(unit: string): { files: ReadonlyMap<string, ModelFile>; layer: string } {
    const own = this.#state.own.get(unit);
    if (own) return { files: own, layer: "own" };
    const [shared, template] = this.lower;
    if (isOwnOnly(unit)) return { files: new Map(), layer: "own" };
    const files = shared.get(unit) ?? template.get(unit) ?? new Map<string, ModelFile>();
    return { files, layer: shared.has(unit) ? "shared" : "template" };
  }

  #below(unit: string): ReadonlyMap<string, ModelFile> {
    if (isOwnOnly(unit)) return new Map();
    return this.lower[0].get(unit) ?? this.lower[1].get(unit) ?? new Map<string, ModelFile>();
  }

  #get(path: string): ModelFile | undefined {
    return this.#shown(unitIn(path)).files.get(path);
  }

  #under(place: string): [string, ModelFile][] {
    const all = this.#units().flatMap((unit) => [...this.#shown(unit).files]);
    return all.filter(([path]) => isBelow(path, place));
  }

  #put(path: string, file: ModelFile): void {
    const unit = unitIn(path);
    const files = new Map(this.#shown(unit).files);
    for (const copied of files.keys())
      if (!this.#state.own.has(unit)) this.#touched.set(copied, "put");
    this.#state.own.set(unit, files.set(path, file));
    this.#touched.set(path, "put");
  }

  #apply(change: Change): void {
    const { path } = change;
    const there = this.#get(path);
    switch (change.kind) {
      case "write":
        if (there && isLogName(path)) refuse("invalid");
        return this.#put(path, {
          ...this.#piece(path, change.content),
          executable: change.executable ?? there?.executable ?? false,
        });
      case "append":
        return this.#append(path, there, change.text);
      case "edit":
        return this.#edit(path, there, change.edits[0] ?? refuse("invalid"));
      case "merge":
        return this.#merge(path, there, change.patch);
      case "delete":
        if (this.#under(path).length === 0) refuse("not_found");
        return this.#delete(path);
      case "reset":
        return this.#reset(path);
      case "move":
        return this.#move(path, change.to, change.overwrite ?? false);
      case "undo":
        return this.#undo(path);
    }
  }

  #piece(path: string, content: Content): ModelFile {
    const data =
      "text" in content ? bytesOf(content.text) : Buffer.from(content.bytes).toString("latin1");
    const isText = bytesOf(textOf(data)) === data && !data.includes("\0");
    if ("text" in content && data.length > this.limits.textBytes && !isLogName(path))
      refuse("too_large");
    if (isLogName(path))
      return isText ? { type: "log", data, executable: false } : refuse("invalid");
    if (isText && data.length <= this.limits.textBytes)
      return { type: "text", data, executable: false };
    if (data.length > this.limits.blobBytes) refuse("too_large");
    return { type: "blob", data, executable: false };
  }

  #append(path: string, there: ModelFile | undefined, text: string): void {
    const added = bytesOf(text);
    if (added.length > this.limits.textBytes && !isLogName(path)) refuse("too_large");
    if (there && added === "") return;
    if (there?.type === "blob") refuse("invalid");
    const data = (there?.data ?? "") + added;
    if (data.length > this.limits.textBytes && !isLogName(path)) refuse("too_large");
    const type = isLogName(path) ? "log" : "text";
    const isOwn = this.#state.own.get(unitIn(path))?.has(path);
    const rest = there && isOwn ? { ...there, grown: there.grown ?? there } : {};
    this.#put(path, { ...rest, type, data, executable: there?.executable ?? false });
  }

  #edit(
    path: string,
    there: ModelFile | undefined,
    edit: { oldText: string; newText: string; replaceAll?: boolean },
  ): void {
    if (!there) return void refuse(this.#under(path).length > 0 ? "invalid" : "not_found");
    if (there.type !== "text" || edit.oldText === "") return void refuse("invalid");
    const parts = textOf(there.data).split(edit.oldText);
    if (parts.length === 1 || (parts.length > 2 && !edit.replaceAll)) refuse("invalid");
    const data = bytesOf(parts.join(edit.newText));
    if (data === there.data) refuse("invalid");
    if (data.length > this.limits.textBytes) refuse("too_large");
    this.#put(path, { type: "text", data, executable: there.executable });
  }

  #merge(path: string, there: ModelFile | undefined, patch: unknown): void {
    if (there && isLogName(path)) refuse("invalid");
    const before = there?.type === "text" ? objectIn(textOf(there.data)) : null;
    const data = bytesOf(`${JSON.stringify(patched(before ?? {}, patch), null, 2)}\n`);
    if (data.length > this.limits.textBytes) refuse("too_large");
    const keepBefore = there !== undefined && !before;
    const type = isLogName(path) ? "log" : "text";
    this.#put(path, { type, data, executable: there?.executable ?? false, keepBefore });
  }

  #delete(place: string): void {
    for (const unit of this.#units()) {
      const shown = [...this.#shown(unit).files];
      const rest = shown.filter(([path]) => !isBelow(path, place));
      if (rest.length === shown.length) continue;
      if (!this.#state.own.has(unit)) for (const [path] of rest) this.#touched.set(path, "put");
      for (const [path] of shown) if (isBelow(path, place)) this.#touched.set(path, "deleted");
      if (rest.length > 0 || this.#below(unit).size > 0) this.#state.own.set(unit, new Map(rest));
      else this.#state.own.delete(unit);
    }
  }

  #reset(place: string): void {
    for (const [unit, held] of new Map(this.#state.own)) {
      const isMeant = isBelow(unit, place) || isBelow(place, unit);
      const below = this.#below(unit);
      if (!isMeant || (held.size > 0 && below.size === 0)) continue;
      this.#state.own.delete(unit);
      for (const path of held.size > 0 ? held.keys() : below.keys())
        this.#touched.set(path, "reset");
    }
  }

  #move(from: string, to: string, overwrite: boolean): void {
    if (isBelow(to, from)) refuse("invalid");
    const sources = this.#under(from);
    if (sources.length === 0) refuse("not_found");
    const there = this.#under(to);
    const areFiles = sources[0]?.[0] === from && there[0]?.[0] === to;
    if (there.length > 0 && !(overwrite && areFiles)) refuse("conflict");
    const names = sources.map(([path]) => [path, to + path.slice(from.length)].some(isLogName));
    if (names.includes(true)) refuse("invalid");
    for (const [path, file] of sources) {
      const isOwn = this.#state.own.get(unitIn(path))?.has(path) && file.type !== "blob";
      const grown = isOwn ? { grown: file.grown ?? file } : {};
      const { type, data, executable } = file;
      this.#put(to + path.slice(from.length), { type, data, executable, ...grown });
    }
    this.#delete(from);
  }

  #undo(path: string): void {
    if (this.#get(path) && isLogName(path)) refuse("invalid");
    const own = this.#state.own.get(unitIn(path))?.get(path);
    const past = (this.#state.past.get(path) ?? []).toReversed();
    const isPresent = !own && typeof past[0] === "string";
    const to = past[isPresent ? 1 : 0];
    if (to === undefined || to === "reset") return this.#goBelow(path, own);
    if (to === "deleted") return this.#get(path) ? this.#delete(path) : void refuse("invalid");
    const { type, data, executable } = to;
    this.#put(path, { type, data, executable, keepBefore: true });
  }

  #goBelow(path: string, own: ModelFile | undefined): void {
    const unit = unitIn(path);
    const below = this.#below(unit).get(path);
    if (own && !hasPast(path)) return void refuse("not_found");
    if (!below && own) return this.#delete(path);
    if (!below || (!own && this.#get(path))) return void refuse("not_found");
    const isHidden = this.#state.own.get(unit)?.size === 0;
    if (unit === path || isHidden) return this.#reset(unit);
    this.#put(path, below);
  }

  #checkQuota(before: ModelLayer): void {
    const [was, is] = [totalsOf(before), totalsOf(this.#state.own)];
    for (const what of ["files", "bytes", "logs", "logBytes"] as const)
      if (is[what] > this.limits[what] && is[what] > was[what]) refuse("quota_exceeded");
  }

  /** What was there when the request began becomes the past, unless it only grew. */
  #remember(before: ModelLayer): void {
    for (const [path, how] of this.#touched) {
      const old = before.get(unitIn(path))?.get(path);
      const now = this.#state.own.get(unitIn(path))?.get(path);
      const past = [...(this.#state.past.get(path) ?? [])];
      const isKept = hasPast(path) || (how === "put" && now?.keepBefore === true);
      const isSame = how === "put" && now?.grown !== undefined && now.grown === old;
      if (old && isKept && !isSame && old.type !== "log") past.push(old);
      if (how !== "put" && hasPast(path)) past.push(how);
      this.#state.past.set(path, past.slice(-this.limits.versions));
    }
    // What was written is what the next request begins with.
    for (const [unit, files] of this.#state.own)
      this.#state.own.set(unit, new Map([...files].map(([path, file]) => [path, plain(file)])));
  }
}
