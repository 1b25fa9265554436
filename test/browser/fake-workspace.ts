import type { IncomingMessage, ServerResponse } from "node:http";
import type { FileInfo, FileVersion, LayerName } from "../../src/shared/workspace-files.ts";

type Stored = {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly by: string | null;
  readonly at: number | null;
};
type Version = FileVersion & { readonly bytes: Buffer };
/** What a write sent, as the server saw it. */
type Write = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly bytes: Buffer;
};
type Refusal = { readonly status: number; readonly code: string; readonly message: string };

const FILES = "/v1/agents/main/files";
const ARCHIVE = "/v1/agents/main/archive";
/** Any day will do. */
const FIRST_DAY = Date.UTC(2031, 4, 6, 9, 30);

/** A workspace in memory that speaks the file routes: own files over shared ones over the template. */
export class FakeWorkspace {
  readonly layers: Record<LayerName, Map<string, Stored>> = {
    own: new Map(),
    shared: new Map(),
    template: new Map(),
  };
  readonly hidden = new Set<string>();
  readonly writes: Write[] = [];
  /** The sessions that reads and writes named, `null` where they named none. */
  readonly sessions: (string | null)[] = [];
  readonly imports: Buffer[] = [];
  /** How the next requests of one method fail. */
  readonly refusals: (Refusal & { readonly method: string })[] = [];
  readonly #versions = new Map<string, Version[]>();
  #count = 0;

  put(layer: LayerName, path: string, content: string | Buffer, by = "user:ann"): void {
    const bytes = Buffer.from(content);
    this.#count++;
    const at = FIRST_DAY + this.#count * 60_000;
    if (layer === "template") {
      this.layers.template.set(path, { bytes, etag: `t${this.#count}`, by: null, at: null });
      return;
    }
    const etag = layer === "own" ? String(this.#count) : `s${this.#count}`;
    this.layers[layer].set(path, { bytes, etag, by, at });
    if (layer === "own") this.#note(path, bytes, by, typeOf(path, bytes));
  }

  text(path: string): string | null {
    return this.#visible(path)?.bytes.toString("utf8") ?? null;
  }

  layerOf(path: string): LayerName | null {
    return this.#find(path)?.[0] ?? null;
  }

  remove(path: string, by = "user:ann"): void {
    this.#count++;
    this.layers.own.delete(path);
    this.#note(path, Buffer.alloc(0), by, "deleted");
    if (this.#find(path)) this.hidden.add(path);
  }

  /** Answers a request to the file routes; `false` for any other. */
  async handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean> {
    const isArchive = url.pathname === ARCHIVE;
    if (!isArchive && url.pathname !== FILES && !url.pathname.startsWith(`${FILES}/`)) return false;
    const bytes = await readBytes(request);
    const method = request.method ?? "GET";
    this.sessions.push(url.searchParams.get("session"));
    const at = this.refusals.findIndex((refusal) => refusal.method === method);
    const [refusal] = at < 0 ? [] : this.refusals.splice(at, 1);
    if (refusal) refuse(response, refusal.status, refusal.code, refusal.message);
    else if (isArchive) this.#archive(method, bytes, response);
    else {
      const path = decodeURIComponent(url.pathname.slice(FILES.length + 1));
      if (method === "GET") this.#get(path, url.searchParams, response);
      else this.#change(path, request, { url, bytes }, response);
    }
    return true;
  }

  #archive(method: string, bytes: Buffer, response: ServerResponse): void {
    if (method === "GET") {
      response.writeHead(200, { "content-type": "application/zip" }).end("PK archive");
      return;
    }
    this.imports.push(bytes);
    send(response, 200, { files: 2 });
  }

  #get(path: string, query: URLSearchParams, response: ServerResponse): void {
    const layer = query.get("layer") as LayerName | null;
    if (path === "") return send(response, 200, this.#list(layer, query));
    const versions = this.#versions.get(path) ?? [];
    if (query.has("history"))
      return send(response, 200, {
        versions: versions.map((version) => ({ ...version, bytes: undefined })),
      });
    const version = query.get("version");
    const found = version
      ? versions.find((each) => each.version === Number(version))
      : this.#visible(path);
    if (!found) return refuse(response, 404, "not_found", `${path} does not exist.`);
    if (query.has("offset")) return send(response, 200, this.#page(path, found.bytes, query));
    const headers = { etag: `"${found.etag}"`, "content-type": "text/html" };
    response.writeHead(200, headers).end(found.bytes);
  }

  #list(layer: LayerName | null, query: URLSearchParams): object {
    const names = layer ? ([layer] as const) : (["own", "shared", "template"] as const);
    const paths = new Set(names.flatMap((name) => [...this.layers[name].keys()]));
    const after = query.get("after") ?? "";
    const all = [...paths].toSorted().flatMap((path) => {
      const file = layer ? this.#info(layer, path) : this.#infoOf(path);
      return file && path > after ? [{ path, layer: file.layer, file }] : [];
    });
    const limit = Number(query.get("limit"));
    return { entries: all.slice(0, limit), total: all.length, cut: all.length > limit };
  }

  #page(path: string, bytes: Buffer, query: URLSearchParams): object {
    const lines = bytes.toString("utf8").trimEnd().split("\n");
    const offset = Number(query.get("offset"));
    const shown = lines.slice(offset, offset + Number(query.get("limit")));
    return { file: this.#infoOf(path), lines: shown, total: lines.length, lineCut: false };
  }

  #change(
    path: string,
    request: IncomingMessage,
    { url, bytes }: { url: URL; bytes: Buffer },
    response: ServerResponse,
  ): void {
    const { method = "", headers } = request;
    const [ifMatch, ifNoneMatch] = [headers["if-match"], headers["if-none-match"]];
    const query = url.search;
    this.writes.push({ method, path, query, ifMatch, ifNoneMatch, bytes });
    const now = this.#visible(path);
    const isStale =
      ifNoneMatch === "*" ? now !== null : ifMatch !== undefined && ifMatch !== `"${now?.etag}"`;
    if (isStale)
      return refuse(response, 409, "conflict", `${path} is not what you expect. Read it again.`);
    const undo = url.searchParams.get("undo");
    const earlier = this.#versions.get(path)?.find(({ version }) => version === Number(undo));
    if (url.searchParams.has("reset")) {
      this.layers.own.delete(path);
      this.hidden.delete(path);
    } else if (method === "DELETE") this.remove(path, "user:me");
    else {
      this.hidden.delete(path);
      this.put("own", path, undo === null ? bytes : (earlier?.bytes ?? ""), "user:me");
    }
    send(response, 200, { file: this.#infoOf(path), touched: 1 });
  }

  #find(path: string): [LayerName, Stored] | null {
    for (const layer of ["own", "shared", "template"] as const) {
      if (layer !== "own" && this.hidden.has(path)) return null;
      const stored = this.layers[layer].get(path);
      if (stored) return [layer, stored];
    }
    return null;
  }

  #visible(path: string): Stored | null {
    return this.#find(path)?.[1] ?? null;
  }

  #infoOf(path: string): FileInfo | null {
    const found = this.#find(path);
    return found && this.#info(found[0], path);
  }

  #info(layer: LayerName, path: string): FileInfo | null {
    const stored = this.layers[layer].get(path);
    if (!stored) return null;
    const { bytes, etag, at, by } = stored;
    const type = typeOf(path, bytes);
    return { path, layer, type, size: bytes.length, executable: false, etag, at, by };
  }

  #note(path: string, bytes: Buffer, by: string, type: FileVersion["type"]): void {
    const [version, etag] = [this.#count, String(this.#count)];
    const at = FIRST_DAY + version * 60_000;
    const facts = { version, etag, type, size: bytes.length, at, by, bytes };
    this.#versions.set(path, [facts, ...(this.#versions.get(path) ?? [])]);
  }
}

function typeOf(path: string, bytes: Buffer): FileInfo["type"] {
  if (path.endsWith(".log.jsonl")) return "log";
  return bytes.includes(0) || !bytes.equals(Buffer.from(bytes.toString("utf8"))) ? "blob" : "text";
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  send(response, status, { error: { code, message, id: "e9" } });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
