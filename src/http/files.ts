import { type Context, Hono } from "hono";
import { workspaceLimits } from "../env.ts";
import { invalid } from "../shared/errors.ts";
import { parseKey } from "../shared/ids.ts";
import { sha256Hex } from "../shared/sha256.ts";
import { spellSize } from "../shared/text.ts";
import type { Change, Changed } from "../shared/workspace-changes.ts";
import { largestFile } from "../workspace/limits.ts";
import type { WorkspacePath } from "../workspace/layers/path.ts";
import { isRecord } from "../workspace/workspace.ts";
import type { AppEnv } from "./app-env.ts";
import { readBytes } from "./body.ts";
import { streamOf, wholeFile } from "./file-stream.ts";
import { fileAnswer, UNTRUSTED } from "./files-answer.ts";
import {
  atMostOne,
  expectedOf,
  type FileQuery,
  filePathOf,
  given,
  isSet,
  queryOf,
} from "./files-query.ts";
import { type FileTarget, forbidden, targetOf } from "./files-target.ts";
import { wholeNumber } from "./query.ts";

const MAX_LINES = 10_000;

/** Reading and writing the files of a workspace, below `/v1/agents/:agent/files`. */
export function fileRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.get("/*", async (c) => {
    const path = filePathOf(c.req.raw);
    return path === "" ? await listFiles(c) : await readFile(c, path);
  });

  routes.put("/*", async (c) => {
    const path = filePathOf(c.req.raw);
    const query = queryOf(c.req.raw, ["undo"]);
    const target = writeTarget(c, query, path);
    const expect = expectedOf(c.req.raw.headers);
    const executable = executableOf(c.req.header("x-carrel-executable"));
    const most = largestFile(workspaceLimits(c.env));
    const bytes = await readBytes(c.req.raw, "The file", most, spellSize(most));
    const change = query.has("undo")
      ? undoOf(path, query, expect, bytes)
      : {
          kind: "write" as const,
          path,
          content: { bytes },
          ...given({ expect: target.expected(expect), executable }),
        };
    const changed = await apply(c, target, change, bytes);
    return changeAnswer(c, changed, changed.created ? 201 : 200);
  });

  routes.delete("/*", async (c) => {
    const path = filePathOf(c.req.raw);
    const query = queryOf(c.req.raw, ["reset"]);
    const isReset = isSet(query, "reset");
    const target =
      isReset && path === "" ? targetOf(c, query, "write") : writeTarget(c, query, path);
    const expect = expectedOf(c.req.raw.headers);
    if (isReset && expect !== undefined)
      throw invalid("A reset takes no If-Match: it brings back whatever lower layers have.");
    const change: Change = isReset
      ? { kind: "reset", path }
      : {
          kind: "delete",
          path,
          ...given({ expect: target.expected(expect) }),
        };
    return changeAnswer(c, await apply(c, target, change, new Uint8Array()), 200);
  });

  return routes;
}

async function listFiles(c: Context<AppEnv>): Promise<Response> {
  const query = queryOf(c.req.raw, ["path", "recursive", "after", "limit"]);
  const { workspace, layer, shown } = targetOf(c, query, "read");
  const limit = wholeNumber("limit", query.get("limit"), 1, 2_000);
  const after = query.get("after");
  const tree = await workspace.tree({
    directory: query.get("path") ?? "",
    recursive: isSet(query, "recursive"),
    ...given({ layer, after, limit }),
  });
  const entries = tree.entries.map((entry) => ({
    ...shown(entry),
    file: entry.file && shown(entry.file),
  }));
  return c.json({ ...tree, entries }, 200, UNTRUSTED);
}

async function readFile(c: Context<AppEnv>, path: WorkspacePath): Promise<Response> {
  const query = queryOf(c.req.raw, ["history", "version", "offset", "limit"]);
  atMostOne(query, ["history", "version", "offset"]);
  atMostOne(query, ["history", "version", "limit"]);
  const target = targetOf(c, query, "read");
  const { workspace, layer, shown } = target;
  const version = wholeNumber("version", query.get("version"), 1, Number.MAX_SAFE_INTEGER);
  if (isSet(query, "history")) {
    wantsNoLayer(target, query, "The history");
    return c.json({ versions: await workspace.history(path) }, 200, UNTRUSTED);
  }
  if (query.has("offset") || query.has("limit")) {
    wantsNoLayer(target, query, "A page");
    const offset = wholeNumber("offset", query.get("offset"), 0, Number.MAX_SAFE_INTEGER) ?? 0;
    const limit = wholeNumber("limit", query.get("limit"), 1, MAX_LINES) ?? 1_000;
    const page = await workspace.page({ path, offset, limit });
    return c.json({ ...page, file: shown(page.file) }, 200, UNTRUSTED);
  }
  if (version !== undefined) wantsNoLayer(target, query, "An earlier version");
  const request = version === undefined ? { from: 0, ...given({ layer }) } : { version };
  const first = await workspace.read({ path, ...request });
  const isLong = first.next !== null;
  const body = isLong ? streamOf(wholeFile(workspace, first, layer), "file_broken") : first.content;
  return fileAnswer(shown(first.file), body, c.req.header("if-none-match") ?? null);
}

/** Versions and pages are of what shows; only an admin sees the shared layer for itself. */
function wantsNoLayer(target: FileTarget, query: FileQuery, what: string): void {
  if (query.get("layer") === undefined || query.get("layer") === "own" || target.isShared) return;
  throw invalid(`${what} is that of the file that shows. Leave out the layer.`);
}

function writeTarget(c: Context<AppEnv>, query: FileQuery, path: WorkspacePath): FileTarget {
  if (path === "") throw invalid("The workspace itself is not a file. Name a file in it.");
  const target = targetOf(c, query, "write");
  if (isRecord(path))
    throw forbidden(
      `"${path.split("/")[0]}/" holds the records of sessions, which only Carrel writes.`,
    );
  return target;
}

function executableOf(header: string | undefined): boolean | undefined {
  if (header === undefined) return undefined;
  if (header === "true" || header === "false") return header === "true";
  throw invalid("x-carrel-executable must be true or false.");
}

function undoOf(
  path: WorkspacePath,
  query: FileQuery,
  expect: string | undefined,
  body: Uint8Array,
): Change {
  if (body.byteLength > 0)
    throw invalid("An undo takes no body: it brings back what an earlier version held.");
  if (expect !== undefined)
    throw invalid("An undo takes no If-Match. Name the version to bring back.");
  const sent = query.get("undo") || undefined;
  const version = wholeNumber("undo", sent, 1, Number.MAX_SAFE_INTEGER);
  return { kind: "undo", path, ...given({ version }) };
}

async function apply(
  c: Context<AppEnv>,
  { workspace, by, shown }: FileTarget,
  change: Change,
  body: Uint8Array,
): Promise<Changed> {
  const op = await operationOf(c, body);
  const request = { by, changes: [change], ...given({ op }) };
  const [changed] = await workspace.change(request);
  if (!changed) throw new Error("a change without an answer");
  return { ...changed, file: changed.file && shown(changed.file) };
}

/**
 * The id of a write that has an idempotency key: the same for the same request of the same user, so that a retry is
 * done once, whichever host name it comes by. Another request under the same key is another operation, and never
 * mistaken for this one.
 */
export async function operationOf(
  c: Context<AppEnv>,
  body: Uint8Array,
): Promise<string | undefined> {
  const header = c.req.header("idempotency-key");
  if (header === undefined) return undefined;
  const { pathname, search } = new URL(c.req.url);
  const names = ["if-match", "if-none-match", "x-carrel-executable"];
  const headers = names.map((name) => c.req.header(name) ?? null);
  const who = c.get("principal").user;
  const asked = [
    who,
    parseKey(header),
    c.req.method,
    pathname + search,
    headers,
    await sha256Hex(body),
  ];
  return `http-${await sha256Hex(new TextEncoder().encode(JSON.stringify(asked)))}`;
}

function changeAnswer(c: Context<AppEnv>, changed: Changed, status: 200 | 201): Response {
  const { file, touched } = changed;
  if (file) c.header("etag", `"${file.etag}"`);
  return c.json({ file, touched }, status, UNTRUSTED);
}
