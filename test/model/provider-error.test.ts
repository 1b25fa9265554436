import { describe, expect, it } from "vitest";
import {
  type Provider,
  connectionError,
  providerError,
  retryAfter,
} from "../../src/model/provider-error.ts";
import { CarrelError, ModelError } from "../../src/shared/errors.ts";
import { canary } from "../contracts/model-requests.ts";

const acme: Provider = { name: "Acme", setting: "ACME_KEY", secrets: [canary, "abc"] };
const words = (message: string) =>
  providerError(acme, { status: 500, body: { error: { message } } }).message;

describe("providerError", () => {
  it.each<[string, unknown, string]>([
    ["OpenAI", { error: { message: "Words.", type: "x" } }, "Words."],
    ["Google", [{ error: { code: 503, message: "Words." } }], "Words."],
    ["FastAPI", { detail: "Words." }, "Words."],
    ["Ollama", { error: "Words." }, "Words."],
    ["Cloudflare", { errors: [{ code: 1000, message: "Words." }] }, "Words."],
    ["JSON text", '{"error":{"message":"Words."}}', "Words."],
    ["plain text", "Words.", "Words."],
    ["an Error", new Error("Words."), "Words."],
  ])("finds the words of %s", (_, body, expected) => {
    expect(providerError(acme, { status: 500, body }).message).toBe(
      `Acme is not available (HTTP 500). It said: ${expected}`,
    );
  });

  it.each([
    null,
    undefined,
    5,
    "",
    "<html>x</html>",
    [],
    {},
    { error: null },
    { error: { message: 7 } },
  ])("makes do with %j", (body) => {
    expect(providerError(acme, { status: 500, body }).message).toBe(
      "Acme is not available (HTTP 500).",
    );
  });

  it("[H5] never repeats a secret, not even the part before the cut", () => {
    expect(words(`No ${canary}, no${canary}.`)).toMatch(/No \[redacted\], no\[redacted\]\.$/);
    expect(words("x".repeat(290) + canary)).not.toContain(canary.slice(0, 6));
    expect(words("Incorrect key sk-proj-1234567890abcdef.")).not.toContain("1234");
    expect(words("Incorrect key sk-12***********cdef.")).not.toContain("cdef");
    expect(words("Header was Bearer eyJhbGciOiJIUzI1NiJ9")).not.toContain("eyJ");
  });

  it("[H5] quotes at most 300 characters on one line, never half a character", () => {
    const said = words(`a\n\tb\u0000${"👋".repeat(400)}`).split("It said: ")[1] ?? "";
    expect(said).toMatch(/^a b 👋+$/u);
    expect(said.length).toBeLessThanOrEqual(300);
  });

  it("does not take short values for secrets, which would garble every message", () => {
    expect(words("abc is the alphabet")).toContain("abc is the alphabet");
  });
});

describe("connectionError", () => {
  it("keeps what is mapped, explains a refused address, and says nothing of the rest", () => {
    const mapped = new ModelError("malformed", "x");
    expect(connectionError(acme, mapped)).toBe(mapped);
    const refused = connectionError(
      acme,
      new CarrelError("forbidden", "The request to 10.0.0.1 was refused: x."),
    );
    expect(refused).toMatchObject({ code: "model_not_configured" });
    expect(refused.message).toBe("The request to 10.0.0.1 was refused: x. Check ACME_KEY.");
    expect(connectionError(acme, new Error(canary)).message).toBe("Acme could not be reached.");
  });
});

describe("retryAfter", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  const read = (headers: Record<string, string>) => retryAfter((name) => headers[name], now);

  it.each<[Record<string, string>, number | null]>([
    [{ "retry-after": "30" }, 30_000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "-5" }, 0],
    [{ "retry-after": "Thu, 01 Jan 2026 00:01:30 GMT" }, 90_000],
    [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
    [{ "retry-after-ms": "1500", "retry-after": "9" }, 1_500],
    [{ "retry-after-ms": "x", "retry-after": "9" }, 9_000],
    [{ "retry-after": "soon" }, null],
    [{ "retry-after": "" }, null],
    [{}, null],
  ])("of %j is %s ms", (headers, expected) => {
    expect(read(headers)).toBe(expected);
  });
});
