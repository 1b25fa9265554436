import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { toProblem } from "../../src/http/problem.ts";
import { CarrelError, quotaExceeded, tooLarge } from "../../src/shared/errors.ts";

const answerTo = async (error: Error) => {
  const app = new Hono();
  app.onError(toProblem);
  app.get("/", () => {
    throw error;
  });
  const response = await app.request("/");
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    body: (await response.json()) as { error: object },
  };
};

describe("a problem", () => {
  it.each([
    [413, tooLarge("The text", "1 MiB")],
    [507, quotaExceeded("It may hold 2 files and would hold 3")],
    [429, new CarrelError("too_many", "20 messages wait already.")],
    [503, new CarrelError("overloaded", "Try again.")],
    [409, new CarrelError("conflict", "Read it again.")],
  ])("[H1] [W16] is status %i, with its code and what to do", async (status, error) => {
    const answer = await answerTo(error);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatchObject({ code: error.code, message: error.message });
  });

  it.each([
    ["too_many", "5"],
    ["overloaded", "1"],
    ["conflict", null],
  ] as const)("of the code %s says when to try again: %s", async (code, seconds) => {
    expect((await answerTo(new CarrelError(code, "Later."))).retryAfter).toBe(seconds);
  });

  it("[H5] tells nothing of what was not expected", async () => {
    const answer = await answerTo(new CarrelError("internal", "secret"));
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer.body)).not.toContain("secret");
  });
});
