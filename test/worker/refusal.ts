import { expect } from "vitest";

/** The answer refuses with 4xx, one of these codes and words that help, and tells nothing of the inside. */
export async function expectRefusal(
  response: Response,
  code = /^(invalid|too_large)$/,
): Promise<void> {
  const text = await response.text();
  expect([response.status, text]).toEqual([expect.toSatisfy(isRefusal), text]);
  const { error } = JSON.parse(text) as { error: { code: string; message: string; id: string } };
  expect(error.code).toMatch(code);
  expect(error.message.length).toBeGreaterThan(10);
  expect(error.message).not.toMatch(RAW);
  expect(text).not.toMatch(/\[object|at \w+ \(|\.ts\b|node_modules/);
}

/** The words of a library, which say nothing to a person. */
const RAW =
  /invalid (?:input|option|string)|too (?:big|small)|unrecognized|\b(?:record|undefined)\b/i;

const isRefusal = (status: number) => status >= 400 && status < 500;
