import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { root } from "../support/source.ts";

const directory = mkdtempSync(join(tmpdir(), "carrel-skills-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function write(path: string, text: string): void {
  const file = join(directory, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const check = (...args: string[]) =>
  spawnSync(process.execPath, ["scripts/check-skills.mjs", ...args], {
    cwd: root,
    encoding: "utf8",
  });

describe("npm run skills", () => {
  it("[K1] [K9] says of each skill whether it loads, and what the scanner finds", () => {
    write("a/pdf/SKILL.md", "---\nname: pdf\ndescription: Use when: asked\n---\n# A\n");
    write("a/pdf/scripts/x.sh", "rm -rf /\n");
    write("a/pdf/examples/SKILL.md", "no skill of its own");
    const good = check(join(directory, "a"));
    expect(good.stdout).toMatch(
      /✓ pdf: dangerous\n {2}warning: .*\n {2}dangerous: scripts\/x\.sh:1 /,
    );
    expect(good.stdout).toMatch(/\n1 of 1 skills load\n$/);
    expect(good.status).toBe(0);
    write("b/SKILL.md", "# No front matter");
    const all = check(directory);
    expect(all.stdout).toMatch(/✗ .*b: It has no front matter/);
    expect(all.status).toBe(1);
  });

  it.each([[], ["/does/not/exist"], [".", "."]])(
    "explains itself instead when given %j",
    (...args) => {
      const { status, stdout, stderr } = check(...args);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/^Usage: npm run skills/);
    },
  );
});
