import { invalid, notFound } from "../shared/errors.ts";
import type { LayerName } from "../shared/workspace-files.ts";
import { type WorkspacePath, workspacePath } from "../workspace/layers/path.ts";

/** A query in which every name is known and comes once. */
export type FileQuery = ReadonlyMap<string, string>;

/** What every file route takes: whose files, of which session, in which layer. */
const EVERYWHERE = ["user", "session", "layer"] as const;

/** The query of a file route, which takes these names and those that say whose files are meant, and where. */
export const queryOf = (request: Request, names: readonly string[]): FileQuery =>
  exactQueryOf(request, [...names, ...EVERYWHERE]);

/** A query of these names only. A misspelt one is refused: `?undoo` must not become a write of nothing. */
export function exactQueryOf(request: Request, known: readonly string[]): FileQuery {
  const query = new Map<string, string>();
  for (const [name, value] of new URL(request.url).searchParams) {
    if (!known.includes(name))
      throw invalid(
        `This route does not know the parameter it was sent. Known: ${known.join(", ")}.`,
      );
    if (query.has(name)) throw invalid(`The parameter "${name}" was sent twice. Send it once.`);
    query.set(name, value);
  }
  return query;
}

/** Refuses more than one of these names: each asks for something else. */
export function atMostOne(query: FileQuery, names: readonly string[]): void {
  const sent = names.filter((name) => query.has(name));
  if (sent.length > 1) throw invalid(`Send one of these parameters, not both: ${sent.join(", ")}.`);
}

/** A parameter that is a switch: `?name` or `?name=true`; not there is `false`. */
export function isSet(query: FileQuery, name: string): boolean {
  const value = query.get(name) ?? "false";
  if (value === "" || value === "true") return true;
  if (value === "false") return false;
  throw invalid(`"${name}" must be true or false.`);
}

const LAYERS: readonly string[] = ["own", "shared", "template"] satisfies LayerName[];

/** The layer that the query names; `undefined` when it names none. */
export function layerOf(query: FileQuery): LayerName | undefined {
  const layer = query.get("layer");
  if (layer === undefined || LAYERS.includes(layer)) return layer as LayerName | undefined;
  throw invalid(`"layer" must be one of: ${LAYERS.join(", ")}.`);
}

const BEFORE_PATH = /^[^:/?#]+:\/\/[^/?#]*\/v1\/agents\/[^/]+\/files(?:\/|(?=[?#])|$)/;

/**
 * The path of a file route, decoded exactly once from the address as it came: a router's own decoding differs from
 * one escape to the next, and a `URL` would resolve dot segments that are refused here. `''` is the root.
 */
export function filePathOf({ url }: Pick<Request, "url">): WorkspacePath {
  const before = BEFORE_PATH.exec(url)?.[0];
  if (before === undefined) throw notFound("This route");
  const [raw = ""] = url.slice(before.length).split(/[?#]/, 1);
  return workspacePath(decodeOnce(raw));
}

function decodeOnce(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch {
    throw invalid(
      'The path is not percent-encoded UTF-8. Encode each name once: a percent sign itself is "%25".',
    );
  }
}

const ETAG = /^(?:W\/)?"(s?\d{1,16}|t[!#-~]{0,64})"$/;

/**
 * What must be there for a write to happen: an etag, `absent`, or `undefined` when the headers ask for nothing.
 * `If-Match` takes one etag, weak ones too, since proxies weaken what they compress.
 */
export function expectedOf(headers: Headers): string | undefined {
  const match = headers.get("if-match");
  const noneMatch = headers.get("if-none-match");
  if (match !== null && noneMatch !== null)
    throw invalid("Send If-Match or If-None-Match, not both.");
  if (noneMatch !== null) {
    if (noneMatch.trim() === "*") return "absent";
    throw invalid('For a write, If-None-Match must be "*": the file must not exist yet.');
  }
  if (match === null) return undefined;
  const etag = ETAG.exec(match.trim())?.[1];
  if (etag === undefined)
    throw invalid('If-Match must be the one ETag that a read gave, in its quotes: If-Match: "12".');
  return etag;
}

/** Whether a read with this `If-None-Match` already has the file: any etag of the list, or `*`. */
export function hasAlready(header: string | null, etag: string): boolean {
  if (header === null) return false;
  const known = header.split(",").map((item) => item.trim().replace(/^W\//, ""));
  return known.includes("*") || known.includes(`"${etag}"`);
}

/** Without what is `undefined`: an option that is not there is left out. */
export function given<Options extends Readonly<Record<string, unknown>>>(
  options: Options,
): { [Name in keyof Options]?: Exclude<Options[Name], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as {
    [Name in keyof Options]?: Exclude<Options[Name], undefined>;
  };
}
