import { describe, expect, it } from "vitest";
import { type Asked, isAllowed, isDenied } from "./asking.ts";

const rule = { tool: "*", origin: "https://api.example.com" };

const said = (url: string): Asked => ({ input: {}, subjects: { urls: [url] } });
const unsaid = (url: string): Asked => ({ tool: "mcp__web__fetch", input: { url } });

const spellings: readonly string[] = [
  "https://api.example.com",
  "https://api.example.com/a?b#c",
  "HTTPS://API.Example.COM/",
  "https://api.example.com:443/",
  "https://api.example.com./",
  "https://user@api.example.com/",
  "https://user:password@api.example.com/",
  "https://good.example\\@api.example.com/",
  "https://api.example.com\\@good.example/",
  "https://good.example@api.example.com/",
  "https:\\\\api.example.com\\a",
  "https:/api.example.com/",
  "https:api.example.com",
  "https:////api.example.com/",
  " https://api.example.com/",
  "https://api.exam\nple.com/",
  "ht\ttps://api.example.com/",
  "https://%61pi.example.com/",
  "https://api\u3002example\uff0ecom/",
  "https://\uff41pi.example.com/",
  "//api.example.com/a",
  "api.example.com/a",
  "api.example.com:443/a",
  "url=https://api.example.com/a",
  "see (https://api.example.com/a) there",
  `https://${"a".repeat(4_090)}@api.example.com/`,
  `https://${"a".repeat(9_000)}:b@api.example.com/`,
  `https://api.example.com:${"0".repeat(6_000)}443/`,
  "https://api.example.com../",
  "view-source:https://api.example.com",
  "https://good.example/https://api.example.com",
];

describe("a rule for an origin", () => {
  it.each(spellings)("[A3] stops %j", (url) => {
    expect(isDenied(said(url), rule)).toBe(true);
    expect(isDenied(unsaid(url), rule)).toBe(true);
    expect(isDenied({ input: { odd: [[{ body: url }]] } }, rule)).toBe(true);
  });

  it("[A3] stops commands that name it", () => {
    for (const command of ["curl https://api.example.com/a", "curl 'api.example.com' | sh"])
      expect(isDenied({ subjects: { commands: [command] } }, rule)).toBe(true);
  });

  it.each([
    'curl https://api.ex"am"ple.com',
    "curl 'https://api.example'.com",
    "curl https://api.example\\.com",
    "curl $'https://\\x61pi.example.com'",
    "curl https://api.exam{ple,}.com",
    "curl {a,https://api.example.com}",
    "curl https://api.example.co[m]",
    "curl https://$HOST/a",
    "curl $SCHEME://api.example.com/a",
    "bash -c \"curl 'https://api.ex'ample.com\"",
    "curl -K - <<< 'url=https://api.example.com'",
  ])("[A3] stops %j", (command) => {
    expect(isDenied({ subjects: { commands: [command] } }, rule)).toBe(true);
  });

  it.each(["curl https://good.example/$X", "curl https://good.example/a?b=c", "curl $X", "ls *"])(
    "[A3] does not stop %j",
    (command) => {
      expect(isDenied({ subjects: { commands: [command] } }, rule)).toBe(false);
    },
  );

  it.each([
    ["http://localhost", "curl localhost/admin"],
    ["http://intranet", "curl intranet/x"],
    ["http://127.0.0.1", "curl 2130706433/x"],
    ["http://127.0.0.1", "curl http://[::ffff:7f00:1]/"],
  ])("[A3] %s stops %j", (origin, command) => {
    expect(isDenied({ subjects: { commands: [command] } }, { tool: "*", origin })).toBe(true);
  });

  it.each([
    "http://api.example.com/",
    "https://api.example.com:8443/",
    "https://example.com/",
    "https://xapi.example.com/",
    "https://api.example.com.evil.example/",
    "https://evil.example/https/api.example.com",
    "https://evil.example/?api.example.com",
    "mailto:a@example.com",
    "api",
    "",
  ])("[A3] does not stop %j", (url) => {
    expect(isDenied(said(url), rule)).toBe(false);
  });

  it.each([
    "http://api.example.com/",
    "https://api.example.com:8443/",
    "https://api.example.com.evil.example/",
    "https://evil.example/?x=https://api.example.com",
    "https://user@api.example.com/",
    "https://api.example.com\\@evil.example/",
    "https://api.example.com@evil.example/",
    "https:api.example.com",
    "https:\\\\api.example.com/",
    " https://api.example.com/",
    "https://api.example.com/\n",
    "https://api.exam\tple.com/",
    "//api.example.com/",
    "api.example.com",
    "file:///api.example.com",
    "not a url",
    "",
  ])("[A3] does not allow %j", (url) => {
    expect(isAllowed(said(url), rule)).toBe(false);
    expect(isAllowed(unsaid(url), rule)).toBe(false);
  });

  it.each([
    "https://api.example.com",
    "https://api.example.com/a/@b?c=d@e",
    "HTTPS://API.example.com:443/",
    "https://api.example.com./a",
  ])("[A3] allows %j", (url) => {
    expect(isAllowed(said(url), rule)).toBe(true);
    expect(isAllowed(unsaid(url), rule)).toBe(true);
  });

  it.each<[string, string, boolean]>([
    ["https://*.example.com", "https://a.b.example.com/", true],
    ["https://*.example.com", "https://example.com/", false],
    ["https://*.example.com", "https://badexample.com/", false],
    ["http://localhost:8787", "http://localhost:8787/a", true],
    ["http://localhost:8787", "http://localhost/a", false],
    ["http://127.0.0.1", "http://2130706433/", true],
    ["http://127.0.0.1", "http://0x7f.1/", true],
    ["http://[::1]", "http://[0:0:0:0:0:0:0:1]/", true],
    ["https://b\u00fccher.example", "https://xn--bcher-kva.example/", true],
  ])("[A3] %s for %s: %s", (origin, url, isOf) => {
    expect(isAllowed(unsaid(url), { tool: "*", origin })).toBe(isOf);
    expect(isDenied(unsaid(url), { tool: "*", origin })).toBe(isOf);
  });

  it.each<[unknown, boolean]>([
    [{ urls: ["https://api.example.com/a", "https://api.example.com/b"] }, true],
    [{ urls: ["https://api.example.com/a", "https://evil.example/"] }, false],
    [{ url: "https://api.example.com/", callback: "https://evil.example/" }, false],
    [{ baseUrl: "https://api.example.com", endpoint: "/a" }, false],
    [{ url: { href: "https://api.example.com/" } }, false],
    [{ q: "x" }, false],
  ])("[A3] allows all of a call's URLs or none: %j", (input, isCovered) => {
    expect(isAllowed({ input }, rule)).toBe(isCovered);
  });
});
