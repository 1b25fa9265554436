import { describe, expect, it } from "vitest";
import { isLoopback } from "../../src/http/principal.ts";

/** A request as a server hands it over: `Request` itself refuses some of these addresses. */
const requestTo = (url: string, headers: Record<string, string> = {}): Request =>
  ({ url, headers: new Headers(headers) }) as Request;

describe("a request from this machine", () => {
  it.each([
    "http://localhost/",
    "http://localhost:8787/v1/agents",
    "https://LOCALHOST:8787",
    "http://desk.localhost:8787/",
    "http://127.0.0.1/?a=b",
    "http://127.1.2.3:80#x",
    "http://[::1]:8787/healthz",
  ])("is one to %s", (url) => {
    expect(isLoopback(requestTo(url))).toBe(true);
  });

  it.each([
    "http://example.com/",
    "http://localhost.example.com/",
    "http://127.0.0.1.example.com/",
    "http://localhost@example.com/",
    "http://127.0.0.1:80@example.com/",
    "http://127.0.0.1\\@example.com/",
    "http://[::1]@example.com/",
    "http://[::2]/",
    "http:///localhost",
    "ftp://localhost/",
    "localhost",
  ])("is not one to %s", (url) => {
    expect(isLoopback(requestTo(url))).toBe(false);
  });

  it("is not one from a foreign page or another machine", () => {
    const url = "http://localhost:8787/";
    expect(isLoopback(requestTo(url, { origin: "http://localhost:3000" }))).toBe(true);
    expect(isLoopback(requestTo(url, { origin: "https://example.com" }))).toBe(false);
    expect(isLoopback(requestTo(url, { origin: "null" }))).toBe(false);
    expect(isLoopback(requestTo(url, { "cf-connecting-ip": "127.0.0.1" }))).toBe(true);
    expect(isLoopback(requestTo(url, { "cf-connecting-ip": "203.0.113.7" }))).toBe(false);
  });
});
