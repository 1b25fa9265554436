import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { LayerName } from "../../src/shared/workspace-files.ts";
import type { ReadAnswer } from "../../src/shared/workspace-api.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { workspaceApp } from "../support/workspace-app.ts";
import { WorkspaceLab } from "../support/workspace-lab.ts";

/** What a write sent, as the server saw it. */
type Write = {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
};
type Refusal = {
  readonly method: string;
  readonly status: number;
  readonly code: string;
  readonly message: string;
};

const FILES = "/v1/agents/main/files";
const ARCHIVE = "/v1/agents/main/archive";
/** Any day will do. */
const FIRST_DAY = Date.UTC(2031, 4, 6, 9, 30);
/** Who looks at the page, with a key that the page need not know. */
const USER = "local";
const KEY = "key-of-local";
const hash = createHash("sha256").update(KEY).digest("hex");
const variables = { CARREL_API_KEYS: JSON.stringify([{ user: USER, hash, role: "user" }]) };
/** Changes that one request may have. */
const MOST = 1_000;

/** The real file routes over real buckets, with notes of what the page asked, and requests that fail on purpose. */
export class ServedFiles {
  readonly writes: Write[] = [];
  /** The sessions that reads and writes named, `null` where they named none. */
  readonly sessions: (string | null)[] = [];
  readonly imports: Buffer[] = [];
  /** How the next requests of one method fail. */
  readonly refusals: Refusal[] = [];
  readonly lab = new WorkspaceLab({ sharedAgeMs: 0 });
  readonly #own: Workspace = this.lab.workspace({ user: USER });
  readonly #ask = workspaceApp(this.lab, [{ id: "main" }], variables);

  put(layer: LayerName, path: string, content: string | Buffer, by = "user:ann"): Promise<void> {
    return this.putAll(layer, { [path]: content }, by);
  }

  /** Somebody writes files, a minute after whatever was before. */
  async putAll(
    layer: LayerName,
    files: Readonly<Record<string, string | Buffer>>,
    by = "user:ann",
  ): Promise<void> {
    if (layer === "template") {
      this.lab.template = { ...this.lab.template, ...files };
      return this.lab.restart();
    }
    await this.#later();
    const changes = Object.entries(files).map(([path, content]) => {
      const bytes = Uint8Array.from(Buffer.from(content as string));
      return { kind: "write", path, content: { bytes } } as const;
    });
    const workspace = layer === "own" ? this.#own : this.lab.shared();
    for (let done = 0; done < changes.length; done += MOST)
      await workspace.change({ by, changes: changes.slice(done, done + MOST) });
  }

  async remove(path: string): Promise<void> {
    await this.#later();
    await this.#own.change({ by: "user:ann", changes: [{ kind: "delete", path }] });
  }

  async text(path: string): Promise<string | null> {
    return (await this.bytes(path))?.toString("utf8") ?? null;
  }

  /** `null` when no file shows there. */
  async bytes(path: string): Promise<Buffer | null> {
    const content = (await this.#find(path))?.content;
    if (!content) return null;
    return "text" in content ? Buffer.from(content.text) : Buffer.from(content.bytes);
  }

  async layerOf(path: string): Promise<LayerName | null> {
    return (await this.#find(path))?.file.layer ?? null;
  }

  async etagOf(path: string): Promise<string> {
    return (await this.#find(path))?.file.etag ?? "absent";
  }

  /** Answers a request to the file routes; `false` for any other. */
  async handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean> {
    const { pathname, searchParams, search } = url;
    const isArchive = pathname === ARCHIVE;
    if (!isArchive && pathname !== FILES && !pathname.startsWith(`${FILES}/`)) return false;
    const { method = "GET", headers } = request;
    const body = await readBytes(request);
    this.sessions.push(searchParams.get("session"));
    const at = this.refusals.findIndex((refusal) => refusal.method === method);
    const [refusal] = at < 0 ? [] : this.refusals.splice(at, 1);
    if (refusal) {
      refuse(response, refusal);
      return true;
    }
    if (isArchive && method === "POST") this.imports.push(body);
    else if (!isArchive && method !== "GET") {
      const [ifMatch, ifNoneMatch] = [headers["if-match"], headers["if-none-match"]];
      const path = decodeURIComponent(pathname.slice(FILES.length + 1));
      this.writes.push({ method, path, query: search, ifMatch, ifNoneMatch });
    }
    await this.#later();
    const init = { method, headers: headersOf(request), ...(method === "GET" ? {} : { body }) };
    await send(
      response,
      await this.#ask(new Request(`http://localhost${pathname}${search}`, init)),
    );
    return true;
  }

  async #find(path: string): Promise<ReadAnswer | null> {
    return (await this.#own.readMany({ paths: [path] })).files[0] ?? null;
  }

  #later(): Promise<void> {
    const { clock } = this.lab;
    return clock.pass(clock.now() === 0 ? FIRST_DAY : 60_000);
  }
}

function headersOf({ headers }: IncomingMessage): Headers {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) sent.set(name, String(value));
  sent.set("authorization", `Bearer ${KEY}`);
  return sent;
}

async function send(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body) for await (const chunk of answer.body) response.write(chunk);
  response.end();
}

function refuse(response: ServerResponse, { status, code, message }: Refusal): void {
  const body = JSON.stringify({ error: { code, message, id: "e9" } });
  response.writeHead(status, { "content-type": "application/json" }).end(body);
}

async function readBytes(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
