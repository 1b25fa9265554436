import type { HttpClient } from "isomorphic-git";
import { CarrelError } from "../../../shared/errors.ts";
import type { Fetch } from "../../../shared/guarded-fetch.ts";
import { spellSize } from "../../../shared/text.ts";
import { FLUSH, Frames, frameOf } from "./frames.ts";
import type { GitAddress } from "./git-address.ts";
import { type Login, type Service, answerProblem } from "./git-answer.ts";

export type GitHttpParts = {
  readonly address: GitAddress;
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
  readonly maxPackBytes: number;
  /** `null`: nobody logs in. */
  readonly login: Login | null;
};

export type GitHttp = {
  /** What the library asks with. */
  readonly client: HttpClient;
  /** A commit with all that is in it and nothing that was before it, as a pack. */
  readonly packOf: (commit: string) => Promise<Uint8Array>;
};

const ADVERTISEMENT = "/info/refs?service=git-upload-pack";
const UPLOAD_PACK = "/git-upload-pack";

/** Some servers give pages to whoever does not look like Git. */
const USER_AGENT = "git/carrel";

/** Where version 2 of the protocol is not known, every branch, tag and proposal is a line. */
const MAX_REFS_BYTES = 16 * 1024 * 1024;

/**
 * Asks a Git server over smart HTTP (gitprotocol-http). Sends the login to the repository's own origin only, goes on where the
 * repository has moved to, and throws `CarrelError` for what is too large or no answer of a Git server.
 */
export function createGitHttp(parts: GitHttpParts): GitHttp {
  const { address, maxPackBytes } = parts;
  const { where } = address;
  const place = { url: address.url };
  return {
    client: {
      async request({ url, method = "GET", headers = {}, body }) {
        const path = url.slice(address.url.length);
        const sent = body === undefined ? null : await joinAll(body);
        const response = await ask(parts, place, { path, method, headers, body: sent });
        const all: Uint8Array[] = [];
        const take = (chunk: Uint8Array) => all.push(chunk);
        await readFrames(response, parts, {
          frames: new Frames(where),
          take,
          most: MAX_REFS_BYTES,
        });
        return {
          url: response.url,
          // The library compares all of it.
          headers: { "content-type": typeOf(serviceOf(path)) },
          body: only(join(all)),
          statusCode: response.status,
          statusMessage: "",
        };
      },
    },
    async packOf(commit) {
      const headers = { "content-type": "application/x-git-upload-pack-request" };
      const body = new TextEncoder().encode(packRequest(commit));
      const request = { path: UPLOAD_PACK, method: "POST", headers, body };
      const response = await ask(parts, place, request);
      const packed: Uint8Array[] = [];
      const frames = new Frames(where, (part) => packed.push(part));
      await readFrames(response, parts, { frames, take: () => {}, most: maxPackBytes });
      return join(packed);
    },
  };
}

/** What version 0 and 1 of the protocol know; `shallow` and side bands are older than smart HTTP. */
function packRequest(commit: string): string {
  const capabilities = "side-band-64k ofs-delta no-progress agent=carrel";
  return [
    frameOf(`want ${commit} ${capabilities}`),
    frameOf("deepen 1"),
    FLUSH,
    frameOf("done"),
  ].join("");
}

type Question = {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
};

async function ask(
  { address, fetch, signal, login }: GitHttpParts,
  place: { url: string },
  { path, method, headers, body }: Question,
): Promise<Response> {
  const url = place.url + path;
  const sent = new Headers(headers);
  sent.set("user-agent", USER_AGENT);
  if (login !== null && new URL(url).origin === address.origin)
    sent.set("authorization", login.header);
  const init: RequestInit = { method, headers: sent, signal };
  if (body !== null) init.body = Uint8Array.from(body);
  const response = await fetch(url, init);
  const problem = answerProblem(response, typeOf(serviceOf(path)), address.where, login);
  if (problem !== null) {
    await response.body?.cancel();
    throw problem;
  }
  if (path === ADVERTISEMENT && response.url.endsWith(path))
    place.url = response.url.slice(0, -path.length);
  return response;
}

const serviceOf = (path: string): Service => (path === UPLOAD_PACK ? "result" : "advertisement");

const typeOf = (service: Service): string => `application/x-git-upload-pack-${service}`;

type Reading = {
  readonly frames: Frames;
  readonly take: (chunk: Uint8Array) => void;
  readonly most: number;
};

/** All of an answer. Throws `CarrelError`: `too_large` as soon as more than `most` bytes have come, and what `Frames` throws. */
async function readFrames(
  response: Response,
  { address, signal }: GitHttpParts,
  { frames, take, most }: Reading,
): Promise<void> {
  const reader = response.body?.getReader();
  let size = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { value } = (await reader?.read()) ?? {};
      if (value === undefined) break;
      size += value.length;
      if (size > most) throw tooLarge(address.where, most);
      frames.feed(value);
      take(value);
    }
    frames.end();
  } finally {
    await reader?.cancel().catch(() => {});
  }
}

const tooLarge = (where: string, most: number): CarrelError =>
  new CarrelError(
    "too_large",
    `The repository at ${where} sends more than ${spellSize(most)}, packed: that is all that is fetched. Keep the skills in a repository of their own, or raise maxPackBytes.`,
  );

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

async function joinAll(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return join(all);
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
