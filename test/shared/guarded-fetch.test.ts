import { once } from "node:events";
import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  createServer,
} from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CarrelError } from "../../src/shared/errors.ts";
import { type Fetch, createGuardedFetch } from "../../src/shared/guarded-fetch.ts";
import { allowedAddresses, refusedAddresses } from "./refused-addresses.ts";

type Seen = { url: string; method: string; headers: IncomingHttpHeaders; body: string };

const seen: Seen[] = [];
/** `/to/<status>/<address>` redirects there; everything else is answered. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const piece of request) body += String(piece);
  const { url = "", method = "", headers } = request;
  seen.push({ url, method, headers, body });
  const [, status, target = ""] = /^\/to\/(\d+)\/(.+)$/.exec(url) ?? [];
  const location = target === "nowhere" ? {} : { location: decodeURIComponent(target) };
  if (status) response.writeHead(Number(status), location);
  response.end("reached");
}

const server = createServer((request, response) => void answer(request, response));
const port = () => (server.address() as AddressInfo).port;
const local = () => `http://127.0.0.1:${port()}`;
const to = (address: string, status = 302) => `/to/${status}/${encodeURIComponent(address)}`;

/** Sends public names to the server on loopback, as name resolution would; `seen` tells their host. */
const resolving: Fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : String(input));
  if (url.protocol === "http:") return fetch(url.href, init);
  const headers = new Headers(init?.headers);
  headers.set("x-host", url.host);
  return fetch(local() + url.pathname + url.search, { ...init, headers });
};

const guarded = createGuardedFetch({ trustedOrigins: [], fetch: resolving });
const withTrust = () =>
  createGuardedFetch({ trustedOrigins: [`${local()}/v1`, "not a url"], fetch: resolving });
const refused = { name: "CarrelError", code: "forbidden" };

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});
beforeEach(() => void seen.splice(0));

describe("[X4] the guarded fetch", () => {
  it.each(Object.entries(refusedAddresses))(
    "refuses %s, and nothing arrives",
    async (_, addresses) => {
      const real = createGuardedFetch({ trustedOrigins: [] });
      for (const address of addresses) {
        const target = address.replace("PORT", String(port()));
        await expect(real(target), target).rejects.toMatchObject(refused);
      }
      expect(seen).toEqual([]);
    },
  );

  it("knows more than 100 spellings", () => {
    expect(new Set(Object.values(refusedAddresses).flat()).size).toBeGreaterThan(100);
  });

  it.each(allowedAddresses)("reaches %s", async (address) => {
    expect(await (await guarded(address)).text()).toBe("reached");
  });

  it("says why, and repeats neither path nor query, which may hold secrets", async () => {
    const error: unknown = await guarded("https://10.0.0.1/token?key=secret").catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(CarrelError);
    expect(String(error)).toContain("10.0.0.1");
    expect(String(error)).toContain("only public host names");
    expect(String(error)).not.toContain("secret");
  });

  it("reaches a trusted origin that is private, and only that", async () => {
    expect((await withTrust()(`${local()}/v1/models`)).status).toBe(200);
    await expect(withTrust()(`http://localhost:${port()}/`)).rejects.toMatchObject(refused);
    await expect(withTrust()("http://127.0.0.1:1/")).rejects.toMatchObject(refused);
    await expect(withTrust()(`http://user:pw@127.0.0.1:${port()}/`)).rejects.toMatchObject(refused);
    expect(seen).toHaveLength(1);
  });

  it("passes on method, headers and body, also of a Request", async () => {
    const init = { method: "POST", headers: { "x-a": "b" }, body: "text" };
    await guarded("https://example.com/a", init);
    await guarded(new Request("https://example.com/a", init));
    await guarded(new URL("https://example.com/a"), init);
    const expected = { url: "/a", method: "POST", body: "text", headers: { "x-a": "b" } };
    expect(seen).toMatchObject([expected, expected, expected]);
  });

  it("stops when its signal aborts", async () => {
    const reason = new Error("not wanted");
    const signal = AbortSignal.abort(reason);
    await expect(guarded("https://example.com/", { signal })).rejects.toBe(reason);
    await expect(guarded(new Request("https://example.com/", { signal }))).rejects.toBe(reason);
  });
});

describe("[X4] a redirect", () => {
  it.each(Object.entries(refusedAddresses))("to %s is not followed", async (_, addresses) => {
    for (const address of addresses) {
      const target = address.replace("PORT", String(port()));
      // What is no address by itself is relative to the server that redirects.
      if (!URL.canParse(target)) continue;
      // A header holds no other characters; the URL parser decodes them in a host name.
      const ascii = target.replace(/[^\t\x20-\x7e]/gu, encodeURIComponent);
      const start = `https://example.com${to(ascii)}`;
      await expect(guarded(start), target).rejects.toMatchObject(refused);
    }
    expect(seen.every(({ url }) => url.startsWith("/to/"))).toBe(true);
  });

  it("to a trusted origin is not followed from outside, nor back from there", async () => {
    const reach = withTrust();
    await expect(reach(`https://example.com${to(`${local()}/admin`)}`)).rejects.toMatchObject(
      refused,
    );
    const outAndBack = local() + to(`https://example.com${to(`${local()}/admin`)}`);
    await expect(reach(outAndBack)).rejects.toMatchObject(refused);
    expect(seen.some(({ url }) => url === "/admin")).toBe(false);
  });

  it("inside a trusted origin is followed, and keeps its key", async () => {
    const response = await withTrust()(local() + to("/v1/models"), {
      headers: { authorization: "Bearer k" },
    });
    expect(await response.text()).toBe("reached");
    expect(seen[1]).toMatchObject({ url: "/v1/models", headers: { authorization: "Bearer k" } });
  });

  it("to another origin loses every credential, for good", async () => {
    const back = `https://example.com/end`;
    const start = `https://example.com${to(`https://other.example${to(back)}`)}`;
    const headers = {
      authorization: "Bearer k",
      "x-api-key": "k",
      cookie: "session=k",
      "x-goog-api-key": "k",
      "x-anything": "k",
      accept: "text/plain",
    };
    await guarded(start, { headers });
    expect(seen.map((request) => request.headers["x-host"])).toEqual([
      "example.com",
      "other.example",
      "example.com",
    ]);
    expect(seen[0]?.headers).toMatchObject(headers);
    for (const { headers: sent } of seen.slice(1)) {
      expect(sent.accept).toBe("text/plain");
      expect(Object.values(sent).filter((value) => String(value).endsWith("k"))).toEqual([]);
    }
  });

  it.each([
    ["another port", "https://example.com:8443/"],
    ["http", "http://example.com/"],
  ])("to %s of the same host is refused", async (_, address) => {
    await expect(guarded(`https://example.com${to(address)}`)).rejects.toMatchObject(refused);
  });

  it.each([
    [301, "POST", "GET", ""],
    [302, "POST", "GET", ""],
    [303, "PUT", "GET", ""],
    [303, "HEAD", "HEAD", ""],
    [302, "PUT", "PUT", "text"],
    [307, "POST", "POST", "text"],
    [308, "DELETE", "DELETE", "text"],
  ])("with %i after %s goes on with %s", async (status, method, next, body) => {
    await guarded(`https://example.com${to("/end", status)}`, {
      method,
      ...(method !== "HEAD" && { body: "text" }),
    });
    expect(seen[1]).toMatchObject({ url: "/end", method: next, body });
    if (next !== method) expect(seen[1]?.headers).not.toHaveProperty("content-type");
  });

  it("of a streamed body is refused, since it cannot be sent twice", async () => {
    const sending: Fetch = async () =>
      new Response(null, { status: 307, headers: { location: "/end" } });
    const body = new Blob(["text"]).stream();
    await expect(
      createGuardedFetch({ trustedOrigins: [], fetch: sending })("https://example.com/", {
        method: "POST",
        body,
      }),
    ).rejects.toMatchObject(refused);
  });

  it("is followed as often as allowed", async () => {
    const chain = (length: number): string => (length === 0 ? "/end" : to(chain(length - 1)));
    expect(await (await guarded(`https://example.com${chain(5)}`)).text()).toBe("reached");
    seen.splice(0);
    await expect(guarded(`https://example.com${chain(6)}`)).rejects.toMatchObject(refused);
    expect(seen).toHaveLength(6);
    const strict = createGuardedFetch({ trustedOrigins: [], maxRedirects: 0, fetch: resolving });
    await expect(strict(`https://example.com${chain(1)}`)).rejects.toMatchObject(refused);
  });

  it("is left to a caller who wants it", async () => {
    const start = `https://example.com${to("/end")}`;
    expect((await guarded(start, { redirect: "manual" })).status).toBe(302);
    expect((await guarded(new Request(start, { redirect: "manual" }))).status).toBe(302);
    await expect(guarded(start, { redirect: "error" })).rejects.toMatchObject(refused);
  });

  it("without an address is an answer like any other, and to nonsense an error", async () => {
    expect((await guarded("https://example.com/to/302/nowhere")).status).toBe(302);
    await expect(guarded(`https://example.com${to("https://[")}`)).rejects.toMatchObject(refused);
  });
});
