import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file as it is committed; `link`: where a symbolic link leads to. */
export type GitFile = { readonly path: string; readonly mode?: "100755" } & (
  | { readonly content: string | Uint8Array }
  | { readonly link: string }
  | { readonly module: string }
);

/** Without what the machine's owner has set. */
const environment = {
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

/** Runs `git` and gives what it says, without the last line feed. */
export function git(directory: string, args: readonly string[], input?: string | Uint8Array) {
  const run = spawnSync("git", args, { cwd: directory, env: environment, input });
  if (run.error !== undefined) throw run.error;
  if (run.status !== 0) throw new Error(`git ${args.join(" ")}: ${String(run.stderr)}`);
  return run.stdout.toString().trimEnd();
}

/** Makes `branch` of a bare repository a commit of exactly these files, and nothing before it. Gives its id. */
export function commit(directory: string, files: readonly GitFile[], branch = "main"): string {
  const head = `commit refs/heads/${branch}\ncommitter A <a@example.com> 1700000000 +0000\ndata 1\nx\ndeleteall\n`;
  const stream = [Buffer.from(head), ...files.flatMap(entryOf), Buffer.from("done\n")];
  git(directory, ["fast-import", "--quiet", "--force", "--done"], Buffer.concat(stream));
  return git(directory, ["rev-parse", `refs/heads/${branch}`]);
}

function entryOf(file: GitFile): Buffer[] {
  const path = `"${file.path.replaceAll(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
  if ("module" in file) return [Buffer.from(`M 160000 ${file.module} ${path}\n`)];
  const mode = "link" in file ? "120000" : (file.mode ?? "100644");
  const content = Buffer.from("link" in file ? file.link : file.content);
  const head = `M ${mode} inline ${path}\ndata ${content.length}\n`;
  return [Buffer.from(head), content, Buffer.from("\n")];
}

/** Answers a request itself, and says whether it has. */
export type Interception = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Git's own `git http-backend` on 127.0.0.1, over repositories in a directory that is made for it. */
export class GitServer {
  /** Bare repositories by their name in the address. */
  readonly root = mkdtempSync(join(tmpdir(), "carrel-git-"));
  readonly requests: string[] = [];
  intercept: Interception = () => false;
  readonly #server = createServer((request, response) => {
    this.requests.push(`${request.method} ${request.url}`);
    if (!this.intercept(request, response)) serve(this.root, request, response);
  });

  /** A new bare repository, with `main` as its default branch, that is served as `<url>/<name>`. */
  add(name: string): string {
    const directory = join(this.root, name);
    mkdirSync(directory, { recursive: true });
    git(directory, ["init", "--quiet", "--bare", "--initial-branch=main", "."]);
    return directory;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  async start(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
    rmSync(this.root, { recursive: true });
  }
}

/** As RFC 3875 has it, as far as Git asks for it. */
function serve(root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const header = (name: string) => request.headers[name]?.toString() ?? "";
  const backend = spawn("git", ["http-backend"], {
    env: {
      ...environment,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_PROTOCOL: header("git-protocol"),
      REQUEST_METHOD: request.method ?? "GET",
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: header("content-type"),
      CONTENT_LENGTH: header("content-length"),
      HTTP_CONTENT_ENCODING: header("content-encoding"),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  request.pipe(backend.stdin);
  // One that hangs up takes the request with it.
  backend.stdin.on("error", () => {});
  response.on("close", () => backend.kill());
  let head = Buffer.alloc(0);
  backend.stdout.on("data", (chunk: Buffer) => {
    if (response.headersSent) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    const lines = head.subarray(0, end).toString().split("\r\n");
    const headers = lines.map((line) => /^([^:]+): *(.*)$/.exec(line)?.slice(1, 3) ?? ["", ""]);
    const status = headers.find(([name]) => name === "Status")?.[1];
    response.writeHead(
      Number.parseInt(status ?? "200", 10),
      Object.fromEntries(headers.filter(([name]) => name !== "Status")),
    );
    response.write(head.subarray(end + 4));
  });
  backend.stdout.on("end", () => response.end());
}
