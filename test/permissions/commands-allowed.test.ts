import { describe, expect, it } from "vitest";
import { isAllowed, said, unsaid } from "./asking.ts";

const rule = { tool: "*", command: "git status" };

/** What begins like `git status`, or has it in it, and is more than that. */
const more: readonly string[] = [
  "git",
  "git push",
  "git statusx",
  "git -c core.pager=x status",
  "git -C / status",
  "Git status",
  "/usr/bin/git status",
  "./git status",
  "git\u00a0status",
  "git status; ls",
  "git status;ls",
  "git status && ls",
  "git status || ls",
  "git status | ls",
  "git status |& ls",
  "git status & ls",
  "git status\nls",
  "git status\r\nls",
  "git status\rls",
  "ls; git status",
  "git status $(ls)",
  "git status `ls`",
  'git status "$(ls)"',
  'git status "`ls`"',
  "git status $X",
  "git status ${X}",
  "git status ${X:-$(ls)}",
  "git status $((1))",
  "git status $'a'$X",
  "git status <(ls)",
  "git status >(ls)",
  "git status > notes.md",
  "git status >> notes.md",
  "git status >| notes.md",
  "git status 2> notes.md",
  "git status &> notes.md",
  "git status &>/dev/null",
  "git status &>/dev/null rm -rf foo",
  "git status &>>/dev/null rm -rf foo",
  "git status >&/dev/null",
  "git status $'\\'; rm x #'",
  "git status $'a'",
  'git status $"a"',
  "git status >& notes.md",
  "git status < notes.md",
  "git status <> notes.md",
  "git status > '/dev/null '",
  "git status <<EOF\nx\nEOF",
  "git status <<< x",
  "(git status)",
  "{ git status; }",
  "! git status",
  "time git status",
  "if git status; then ls; fi",
  "f() { ls; }; git status",
  "git() { ls; }; git status",
  "alias git=ls; git status",
  "X=1 git status",
  "GIT_EXTERNAL_DIFF=ls git status",
  "X=1",
  "env git status",
  "sudo git status",
  "command git status",
  "exec git status",
  "eval git status",
  "bash -c 'git status'",
  "xargs git status",
  "echo git status",
  "git status # comment",
  "git status 'open",
  'git status "open',
  "git status \\",
  "git status \0",
  "git status \u0007",
  "git status \u2028ls",
  "{git,status}",
  "gi? status",
  "git stat*",
  "'git status'",
  "git 'status ls",
  "",
  "   ",
  "\n",
  "#",
  ";",
];

const within: readonly string[] = [
  "git status",
  "  git   status  ",
  "git status --short",
  "git status -s -- 'a b' \"c d\"",
  "git status; git status -s",
  "git status && git status || git status | git status\ngit status &",
  "git status 2>&1",
  "git status > /dev/null 2>&1",
  "git status 2>/dev/null",
  "git status *.md",
  "git 'status'",
  '"git" st"at"us',
  "git sta\\tus",
  "git status $",
  "git status '$(ls)' '`' ';' '>'",
  "git status \\; \\$X \\`",
  "git status a#b",
  "git \\\n status",
];

describe("an allow rule for a command", () => {
  it.each(more)("[A3] does not cover %j", (command) => {
    expect(isAllowed(said(command), rule)).toBe(false);
    expect(isAllowed(unsaid(command), rule)).toBe(false);
  });

  it.each(within)("[A3] covers %j", (command) => {
    expect(isAllowed(said(command), rule)).toBe(true);
    expect(isAllowed(unsaid(command), rule)).toBe(true);
  });

  it.each<[string, string, boolean]>([
    ["npm run test:*", "npm run test:unit -- a", true],
    ["npm run test:*", "npm run build", false],
    ["git *", "git push", true],
    ["git *", "git", true],
    ["git * --dry-run", "git push --dry-run", true],
    ["git * --dry-run", "git push origin --dry-run", false],
    ["*", "ls; cat a", true],
    ["*", "ls $(cat a)", false],
    ["'my tool' run", "'my tool' run x", true],
    ["'my tool' run", "my tool run x", false],
  ])("[A3] %j over %j: %s", (words, command, isCovered) => {
    expect(isAllowed(said(command), { tool: "execute", command: words })).toBe(isCovered);
  });

  it("[A3] covers a call only if each of its commands is covered, and there is one", () => {
    const call = (...commands: string[]) => ({ input: {}, subjects: { commands } });
    expect(isAllowed(call("git status", "git status -s"), rule)).toBe(true);
    expect(isAllowed(call("git status", "git push"), rule)).toBe(false);
    expect(isAllowed(call(), rule)).toBe(false);
    expect(isAllowed({ subjects: {}, input: { command: "git status" } }, rule)).toBe(false);
  });

  it.each<[unknown, boolean]>([
    [{ command: "git", args: ["status", "-s"] }, true],
    [{ command: "git", args: ["push"] }, false],
    [{ command: "git", args: ["status; ls"] }, false],
    [{ command: "git", args: "status" }, true],
    [{ command: ["git", "status"] }, false],
    [{ commands: ["git status", "git status -s"] }, true],
    [{ commands: ["git status", "ls"] }, false],
    [{ command: "git status", script: "ls" }, false],
    [{ command: "git status", nested: { deep: [{ shellCommand: "ls" }] } }, false],
    [{ command: { run: "git status" } }, false],
    [{ command: "git status", count: 3 }, true],
    [{ line: "git status" }, false],
    [{}, false],
    [null, false],
    ["git status", false],
  ])("[A3] tells commands by the names of arguments: %j", (input, isCovered) => {
    expect(isAllowed({ input }, rule)).toBe(isCovered);
  });

  it("[A10, A3] allows nothing when it cannot be read", () => {
    for (const command of ["a; b", "git status $(x)", "'git", "> x", ""])
      expect(isAllowed(said("git status"), { tool: "*", command })).toBe(false);
    expect(
      isAllowed(said("git status"), JSON.parse('{"tool":"*","command":"git status","path":"**"}')),
    ).toBe(false);
  });
});
