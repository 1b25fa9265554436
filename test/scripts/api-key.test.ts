import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { root } from "../support/source.ts";

const makeKey = (...args: string[]) =>
  spawnSync(process.execPath, ["scripts/api-key.mjs", ...args], { cwd: root, encoding: "utf8" });

const keyIn = (text: string): string => /^ck_[\w-]{43}$/m.exec(text)?.[0] ?? "";

describe("npm run key", () => {
  it("shows a new key once, and an entry that holds only its hash", () => {
    const { stdout } = makeKey("alice", "admin");
    const key = keyIn(stdout);
    const hash = createHash("sha256").update(key).digest("hex");
    expect(key).not.toBe("");
    expect(stdout.split(key)).toHaveLength(2);
    expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toEqual({
      hash,
      user: "alice",
      role: "admin",
    });
    expect(keyIn(makeKey("alice").stdout)).not.toBe(key);
  });

  it("makes users by default", () => {
    expect(makeKey("b.o-b_2").stdout).toContain('"user":"b.o-b_2","role":"user"');
  });

  it.each([
    [],
    [""],
    ["a/b"],
    [".a"],
    ["a".repeat(129)],
    ["alice", "root"],
    ["alice", "user", "more"],
  ])("explains itself instead when given %j", (...args) => {
    const { status, stdout, stderr } = makeKey(...args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("Usage: npm run key -- USER");
  });
});
