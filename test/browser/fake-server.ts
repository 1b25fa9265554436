import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import type { ContentPart } from "../../src/shared/messages.ts";
import { permissionModes, type PermissionMode, type Rules } from "../../src/shared/permissions.ts";
import { encodeEvents, encodeStatus } from "../../src/shared/sse.ts";
import { handleSession, type Decision, readBody, sendJson } from "./fake-routes.ts";
import { FakeSession } from "./fake-session.ts";
import { FakeTurn } from "./fake-turn.ts";
import { ServedFiles } from "./served-files.ts";
import { ServedMemory } from "./served-memory.ts";
import { ServedSkills } from "./served-skills.ts";

const PUBLIC = fileURLToPath(new URL("../../public/", import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

type Post = {
  readonly session: string;
  readonly key: string;
  readonly body: string;
  readonly origin: string;
};
/** How the next POST of a message fails; `lost` accepts it and loses the answer. */
type Failure =
  | "lost"
  | { readonly status: number; readonly code: string; readonly message: string };

/** Serves `public/` with its headers and speaks the session API; every turn is played by the test. */
export class FakeServer {
  readonly posts: Post[] = [];
  readonly tails: { readonly session: string; readonly after: string }[] = [];
  readonly failures: Failure[] = [];
  /** What was decided on calls, in order, whether it counted or not. */
  readonly decisions: Decision[] = [];
  /** The modes that may be chosen. */
  modes: readonly PermissionMode[] = permissionModes;
  /** The rules that a session cannot change. */
  rules: Rules = { allow: [], ask: [], deny: [] };
  /** How many sessions a page of the list has. */
  pageSize = 50;
  readonly workspace = new ServedFiles();
  readonly memory = new ServedMemory();
  readonly skills = new ServedSkills();
  /** When set, the API key that every call must bring. */
  key: string | null = null;
  readonly #sessions = new Map<string, FakeSession>();
  readonly #accepted: FakeTurn[] = [];
  readonly #waiting: ((turn: FakeTurn) => void)[] = [];
  readonly #streams = new Map<ServerResponse, string>();
  readonly #deleted = new Set<string>();
  readonly #server: Server;
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(headers: Readonly<Record<string, string>>) {
    this.#headers = headers;
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) =>
        response.writeHead(500).end(String(error)),
      );
    });
  }

  static async start(): Promise<FakeServer> {
    const rules = await readFile(`${PUBLIC}_headers`, "utf8");
    const pairs = [...rules.matchAll(/^ +([\w-]+): (.+)$/gm)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]);
    const fake = new FakeServer(Object.fromEntries(pairs) as Record<string, string>);
    await new Promise<void>((resolve) => fake.#server.listen(0, "127.0.0.1", resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  session(id: string): FakeSession {
    const session = this.#sessions.get(id) ?? new FakeSession(id);
    this.#sessions.set(id, session);
    return session;
  }

  /** The next accepted turn, in order; waits for it. */
  nextTurn(): Promise<FakeTurn> {
    const turn = this.#accepted.shift();
    return turn ? Promise.resolve(turn) : new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Cuts every tail, as a deploy or a tunnel does. */
  cutTails(): void {
    for (const stream of this.#streams.keys()) stream.destroy();
  }

  /** The session is no more, as after a DELETE from anywhere. */
  delete(id: string): void {
    this.#sessions.delete(id);
    this.#deleted.add(id);
    for (const [stream, session] of this.#streams) if (session === id) stream.destroy();
  }

  async close(): Promise<void> {
    this.cutTails();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    const [, agent = "", id = "", rest = ""] =
      /^\/v1\/agents\/([^/]+)\/sessions(?:\/([^/]+)(\/.+)?)?$/.exec(url.pathname) ?? [];
    if (agent === "" && !url.pathname.startsWith("/v1/"))
      return this.#serveFile(url.pathname, response);
    if (this.key !== null && request.headers.authorization !== `Bearer ${this.key}`)
      return sendError(response, 401, "unauthorized", "Send an API key.");
    if (await this.workspace.handle(request, response, url)) return;
    if (await this.memory.handle(request, response, url)) return;
    if (await this.skills.handle(request, response, url)) return;
    if (agent !== "main")
      return sendError(response, 404, "not_found", `The agent "${agent}" does not exist.`);
    if (id === "") return this.#serveList(url, response);
    if (this.#deleted.has(id)) return sendError(response, 410, "gone", "This session was deleted.");
    if (rest === "/events") return this.#serveTail(id, request, url, response);
    if (rest === "/turns") return this.#takePost(id, request, response);
    const isNew = rest === "/mode" && request.method === "PUT";
    const session = isNew ? this.session(id) : this.#sessions.get(id);
    if (!session) return sendError(response, 404, "not_found", "This session does not exist.");
    await handleSession(this, session, { request, response, url, rest });
  }

  #serveList(url: URL, response: ServerResponse): void {
    const all = [...this.#sessions.values()]
      .map(({ summary }) => summary)
      .toSorted((a, b) => b.updatedAt - a.updatedAt);
    const start = Number(url.searchParams.get("cursor") ?? 0);
    const end = start + this.pageSize;
    const cursor = end < all.length ? String(end) : null;
    sendJson(response, 200, { sessions: all.slice(start, end), cursor });
  }

  async #takePost(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const key = String(request.headers["idempotency-key"]);
    this.posts.push({ session: id, key, body, origin: String(request.headers.origin) });
    const failure = this.failures.shift();
    if (typeof failure === "object") {
      return sendError(response, failure.status, failure.code, failure.message);
    }
    this.#accept(this.session(id), key, JSON.parse(body));
    if (failure === "lost") return void response.destroy();
    return sendJson(response, 202, { turn: key });
  }

  #accept(
    session: FakeSession,
    key: string,
    body: { message?: string | ContentPart[]; regenerate?: boolean },
  ): void {
    if (session.turns.some((turn) => turn.id === key)) return;
    const replaced = body.regenerate ? (session.turns.at(-1) ?? null) : null;
    const message =
      typeof body.message === "string"
        ? [{ type: "text" as const, text: body.message }]
        : body.message;
    const turn = new FakeTurn(session, key, message ?? replaced?.content ?? [], replaced);
    const waiting = this.#waiting.shift();
    if (waiting) waiting(turn);
    else this.#accepted.push(turn);
  }

  #serveTail(id: string, request: IncomingMessage, url: URL, response: ServerResponse): void {
    const session = this.session(id);
    const after = String(
      request.headers["last-event-id"] ?? url.searchParams.get("after") ?? "0.0",
    );
    this.tails.push({ session: id, after });
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write(encodeStatus(session.status));
    const end = session.read(after, (event) => response.write(encodeEvents([event])));
    this.#streams.set(response, id);
    response.on("close", () => {
      end();
      this.#streams.delete(response);
    });
  }

  async #serveFile(path: string, response: ServerResponse): Promise<void> {
    const name = path === "/" ? "index.html" : path.slice(1);
    const type = TYPES[extname(name)];
    const bytes =
      type && /^((style|files|memory|skills)\/)?[\w-]+\.\w+$/.test(name)
        ? await readFile(PUBLIC + name).catch(() => null)
        : null;
    if (!type || !bytes) return void response.writeHead(404).end();
    response.writeHead(200, { ...this.#headers, "content-type": type }).end(bytes);
  }
}

const sendError = (response: ServerResponse, status: number, code: string, message: string) =>
  sendJson(response, status, { error: { code, message, id: "e1" } });
