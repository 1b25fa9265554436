/**
 * A file of the model. `data`: one character a byte. `grown`: the file that it is, only longer or elsewhere.
 * `keepBefore`: what was there stays as a version, whatever kind of path it is.
 */
export type ModelFile = {
  readonly type: "text" | "blob" | "log";
  readonly data: string;
  readonly executable: boolean;
  readonly grown?: ModelFile;
  readonly keepBefore?: boolean;
};

export type ModelLimits = Record<
  "textBytes" | "blobBytes" | "files" | "bytes" | "logs" | "logBytes" | "versions",
  number
>;

/** A layer: from a unit to all that it holds; an empty unit hides those below. */
export type ModelLayer = Map<string, Map<string, ModelFile>>;

export const isOwnOnly = (path: string) => /^(MEMORY\.md$|memory\/|agents\/|skills\/_)/.test(path);
export const hasPast = (path: string) =>
  /^(AGENTS\.md$|tools\.json$|MEMORY\.md$|memory\/|knowledge\/|skills\/(?!_))/.test(path);
export const unitIn = (path: string): string => /^skills\/(?!_)[^/]+(?=\/)/.exec(path)?.[0] ?? path;
export const isBelow = (path: string, place: string) =>
  place === "" || path === place || path.startsWith(`${place}/`);
export const isLogName = (path: string) => path.endsWith(".log.jsonl");

/** UTF-8 as one character a byte, and back. */
export const bytesOf = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
export const textOf = (data: string): string => Buffer.from(data, "latin1").toString("utf8");

export const plain = ({ type, data, executable }: ModelFile): ModelFile => ({
  type,
  data,
  executable,
});

export const lineOf = (
  path: string,
  layer: string,
  { type, data, executable }: ModelFile,
): string => JSON.stringify([path, layer, type, executable, data]);

export function totalsOf(own: ModelLayer) {
  const files = [...own.values()].flatMap((unit) => [...unit.values()]);
  const whiteouts = [...own.values()].filter((unit) => unit.size === 0).length;
  const sum = (isLog: boolean) =>
    files.reduce((all, { type, data }) => all + ((type === "log") === isLog ? data.length : 0), 0);
  const logs = files.filter(({ type }) => type === "log").length;
  return { files: files.length - logs + whiteouts, bytes: sum(false), logs, logBytes: sum(true) };
}

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function objectIn(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The pseudocode of RFC 7396, section 2. */
export function patched(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Json = isObject(target) ? { ...target } : {};
  for (const name of Object.keys(patch)) {
    if (patch[name] === null) delete result[name];
    else result[name] = patched(result[name], patch[name]);
  }
  return result;
}
