import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TemplateError, buildTemplate } from "../../scripts/build-template.mjs";
import { createTemplate } from "../../src/workspace/layers/template.ts";
import type { TemplateFile } from "../../src/workspace/layers/template.ts";
import { workspacePath } from "../../src/workspace/layers/path.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
let folder = "";
const source = () => join(folder, "workspace");
const out = () => join(folder, "out/template.ts");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "carrel-template-"));
  mkdirSync(source());
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(path: string, content: string | Uint8Array = "x") {
  const file = join(source(), path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

async function load() {
  const built = buildTemplate({ source: source(), out: out() });
  const module: { templateFiles: Record<string, TemplateFile>; templateVersion: string } =
    await import(`${pathToFileURL(out()).href}?${built.version}`);
  return createTemplate(module.templateFiles, module.templateVersion);
}

describe("buildTemplate", () => {
  it("[W5] carries every byte: binary, CRLF, BOM, blank files, no newline at the end", async () => {
    const files: Record<string, Uint8Array> = {
      "AGENTS.md": Buffer.from("Größe\r\nno newline at the end"),
      "bom.md": Buffer.from("\uFEFFtext"),
      "empty.md": Buffer.alloc(0),
      "odd.md": Buffer.from("a\0b\u2028`${c}`\u0085</script>"),
      "bytes.bin": Buffer.from([0xff, 0xfe, 0, 0x80]),
      "surrogate.txt": Buffer.from([0xed, 0xa0, 0x80]),
      __proto__x: Buffer.from("1"),
    };
    for (const [path, bytes] of Object.entries(files)) put(path, bytes);
    put("__proto__", "own");
    put("constructor/__proto__", "deep");
    const template = await load();
    for (const [path, bytes] of Object.entries(files)) {
      const file = template.read(workspacePath(path));
      const read = file && ("text" in file ? Buffer.from(file.text) : Buffer.from(file.bytes));
      expect(read?.toString("hex"), path).toBe(Buffer.from(bytes).toString("hex"));
    }
    expect(template.read(workspacePath("__proto__"))).toEqual({ text: "own" });
    expect(template.read(workspacePath("constructor/__proto__"))).toEqual({ text: "deep" });
    expect(template.paths).toHaveLength(Object.keys(files).length + 2);
  });

  it("writes only when something changed", () => {
    put("a.md");
    expect(buildTemplate({ source: source(), out: out() })).toMatchObject({
      written: true,
      files: 1,
      bytes: 1,
    });
    utimesSync(out(), 1, 1);
    expect(buildTemplate({ source: source(), out: out() })).toMatchObject({ written: false });
    expect(statSync(out()).mtimeMs).toBe(1_000);
    put("a.md", "y");
    expect(buildTemplate({ source: source(), out: out() })).toMatchObject({ written: true });
  });

  it("gives a version that changes with a byte and with a name, and with nothing else", () => {
    put("a.md", "x");
    put("b.md", "y");
    const version = () => buildTemplate({ source: source(), out: out() }).version;
    const first = version();
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    expect(version()).toBe(first);
    put("b.md", "z");
    const second = version();
    rmSync(join(source(), "b.md"));
    put("c.md", "z");
    expect(new Set([first, second, version()]).size).toBe(3);
  });

  it("leaves out what version control and package managers leave behind", async () => {
    put(".git/config");
    put("node_modules/x/index.js");
    put("knowledge/.DS_Store");
    put("skills/pdf/.DS_Store");
    put("a.md");
    expect((await load()).paths).toEqual(["a.md"]);
  });

  it("[K2] carries skills whole, also those in .agents/skills, and no other name that begins with a dot", async () => {
    const skills = [
      ".agents/skills/csv/.data/a",
      ".agents/skills/csv/SKILL.md",
      "skills/pdf/.config",
      "skills/pdf/SKILL.md",
    ];
    for (const path of skills) put(path);
    for (const path of [
      ".agents/notes.md",
      ".agents/skills/.archive/x/SKILL.md",
      ".agents/skills/_drafts/x/SKILL.md",
      ".claude/settings.json",
      ".gitignore",
      ".skills-cache/hub/index.json",
      "docs/.agents/skills/x/SKILL.md",
      "knowledge/.gitkeep",
      "skills/.usage.json",
    ])
      put(path);
    expect((await load()).paths).toEqual(skills);
  });

  it("follows links to files and directories, and refuses those that lead nowhere or back up", async () => {
    put("knowledge/a.md", "linked");
    symlinkSync("knowledge/a.md", join(source(), "AGENTS.md"));
    symlinkSync("knowledge", join(source(), "docs"));
    expect((await load()).paths).toEqual(["AGENTS.md", "docs/a.md", "knowledge/a.md"]);
    symlinkSync("..", join(source(), "knowledge/up"));
    expect(() => buildTemplate({ source: source(), out: out() })).toThrow(TemplateError);
    rmSync(join(source(), "knowledge/up"));
    symlinkSync("gone", join(source(), "broken"));
    expect(() => buildTemplate({ source: source(), out: out() })).toThrow(/link to nothing/);
  });

  it.each([
    ["a\\b.md", /backslash/],
    ["a\nb.md", /control character/],
    [".env", /secrets/],
    ["knowledge/.dev.vars", /secrets/],
    ["key.pem", /secrets/],
    [Array.from({ length: 6 }, () => "long".repeat(25)).join("/"), /512 bytes/],
  ])("refuses the name %j", (path, why) => {
    put(path);
    expect(() => buildTemplate({ source: source(), out: out() })).toThrow(why);
  });

  it("refuses a text file above 1 MiB, and takes one of exactly that size", () => {
    put("a.md", "a".repeat(1024 * 1024));
    expect(buildTemplate({ source: source(), out: out() }).files).toBe(1);
    put("a.md", "a".repeat(1024 * 1024 + 1));
    expect(() => buildTemplate({ source: source(), out: out() })).toThrow(/1 MiB/);
  });
});

describe("the command", () => {
  const run = (workspace: string) =>
    spawnSync(process.execPath, ["scripts/build-template.mjs"], {
      cwd: root,
      env: { ...process.env, CARREL_WORKSPACE: workspace },
      encoding: "utf8",
    });

  it("fails with the name of a directory that is not there", () => {
    const { status, stderr, stdout } = run(join(folder, "gone"));
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(join(folder, "gone"));
    expect(stderr).toContain("CARREL_WORKSPACE");
    expect(stderr).not.toContain("    at ");
  });

  it("takes a blank CARREL_WORKSPACE as unset, and says nothing when nothing changed", () => {
    run(" ");
    const { status, stdout } = run("");
    expect([status, stdout]).toEqual([0, ""]);
    expect(readFileSync(join(root, ".template/template.ts"), "utf8")).toContain('["AGENTS.md"]');
  });
});
