import fc from "fast-check";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { CarrelError } from "../../../src/shared/errors.ts";
import { repositoryLimits } from "../../../src/skills/repositories/repository.ts";
import { skillFromArchive } from "../../../src/skills/repositories/skill-archive.ts";
import { binaryFile, skillText, textFile } from "../../contracts/skill-repository-contract.ts";
import { buildZip } from "../../support/zip-builder.ts";
import { tarOf, zipOf } from "./published.ts";
import { buildTar, buildTarGz, pax, type TarPart } from "./tar-builder.ts";

const text = skillText("pdf");
const long = `references/${"x".repeat(110)}/ü.md`;
const files = [
  textFile("SKILL.md", text),
  textFile("scripts/run.sh", "#!/bin/sh\n", true),
  binaryFile("assets/logo.png", Uint8Array.of(0, 255, 1)),
  textFile(long, "long"),
  textFile("references/empty.md", ""),
];

const read = (bytes: Uint8Array, limits: Partial<typeof repositoryLimits> = {}) =>
  skillFromArchive(bytes, { ...repositoryLimits, ...limits });

const document: TarPart = { name: "SKILL.md", content: Buffer.from(text) };
const tar = (...parts: readonly TarPart[]) => buildTarGz([document, ...parts]);

for (const [name, archive] of [
  ["zip", zipOf],
  ["tar", tarOf],
] as const)
  describe(`a skill from a ${name} archive`, () => {
    it("[K8] has all its files, at the top or in the only directory", () => {
      expect(read(archive(files))).toEqual({ directory: null, files });
      expect(read(archive(files, "my skill/"))).toEqual({ directory: "my skill", files });
    });

    it("[K1] is taken without what a Mac adds", () => {
      const junk = ["__MACOSX/._SKILL.md", ".DS_Store", "scripts/.DS_Store", "scripts/._run.sh"];
      const more = junk.map((path) => textFile(path, "x"));
      expect(read(archive([...files, ...more])).files).toEqual(files);
    });

    it("[H1] is refused without one SKILL.md, and says what is missing", () => {
      const elsewhere = [textFile("a/b/SKILL.md", text)];
      const two = [textFile("a/SKILL.md", text), textFile("b/SKILL.md", text)];
      for (const bad of [[], [textFile("README.md", "x")], elsewhere, two])
        expect(() => read(archive(bad))).toThrow("SKILL.md");
    });

    it("[H1] is refused with a path that leaves it, or has two spellings", () => {
      const bad = [
        "../evil",
        "/etc/passwd",
        "a/../b",
        "a\\b",
        "a//b",
        "a/./b",
        "a\u0001b",
        "SKILL.md/x",
      ];
      for (const path of bad)
        expect(() => read(archive([...files, textFile(path, "x")]))).toThrow();
      expect(() => read(archive([...files, textFile("SKILL.md", "other")]))).toThrow("twice");
    });

    it("[H1] is refused past the limits", () => {
      const packed = archive(files);
      expect(() => read(packed, { filesPerSkill: 4 })).toThrow("4 files");
      expect(() => read(packed, { fileBytes: 10 })).toThrow("larger");
      expect(() => read(packed, { skillBytes: 10 })).toThrow("larger");
      const dense = archive([...files, binaryFile("assets/zeros", new Uint8Array(9_000_000))]);
      expect(() => read(dense, { skillBytes: 1_000_000 })).toThrow("larger");
    });

    it("[H1] cut off or damaged anywhere, it is refused in words or gives what fits", () => {
      const packed = archive(files);
      fc.assert(
        fc.property(fc.nat(packed.length - 1), fc.nat(255), fc.boolean(), (at, byte, isCut) => {
          const bad = isCut ? packed.slice(0, at) : packed.slice();
          if (!isCut) bad[at] = byte;
          try {
            expect(read(bad).files.length).toBeLessThanOrEqual(files.length);
          } catch (error) {
            expect(error).toBeInstanceOf(CarrelError);
          }
        }),
        { numRuns: 300 },
      );
    });
  });

describe("a skill from a zip archive", () => {
  it("[H1] is refused with a link", () => {
    const link = { name: "link", content: "/etc/passwd", mode: 0o120777 };
    expect(() => read(buildZip([{ name: "SKILL.md", content: text }, link]))).toThrow("link");
  });
});

describe("a skill from a tar archive", () => {
  it("[H1] is refused with links, devices, files with holes and what is not known", () => {
    for (const type of ["1", "2", "3", "4", "6", "7", "S", "K", "?"])
      expect(() => read(tar({ name: "x", type, link: "/etc/passwd" }))).toThrow("is a link");
    for (const records of [{ linkpath: "/x" }, { "GNU.sparse.major": "1" }])
      expect(() => read(tar({ name: "p", type: "x", content: pax(records) }))).toThrow("link");
  });

  it("[K2] is read with directories, prefixes, GNU names and descriptions of all", () => {
    const name = `references/${"y".repeat(120)}.md`;
    const { files: found } = read(
      tar(
        { name: "scripts/", type: "5", mode: 0o755 },
        { name: "g", type: "g", content: pax({ comment: "0123" }) },
        { name: "run.sh", prefix: "scripts", mode: 0o755 },
        { name: "././@LongLink", type: "L", content: Buffer.from(`${name}\0`) },
        { name: "cut", content: Buffer.from("y") },
      ),
    );
    expect(found).toEqual([
      textFile("SKILL.md", text),
      textFile("scripts/run.sh", "", true),
      textFile(name, "y"),
    ]);
  });

  it("[H1] is refused when it does not add up", () => {
    const block = Buffer.alloc(512);
    const bad = [
      tar({ name: "a", sum: 1 }),
      tar({ name: "a", size: "77777777777" }),
      tar({ name: "a", size: "9" }),
      tar({ name: "a", size: "\x80\0\0\0\0\0\0\0\0\0\0\x01" }),
      tar({ name: "d/", type: "5", content: Buffer.from("x") }),
      tar({ name: "p", type: "x", content: Buffer.from("99 path=x\n") }),
      tar({ name: "p", type: "x", content: Buffer.from("no number") }),
      tar({ name: "p", type: "x", content: Buffer.alloc(70_000) }),
      buildTarGz([document], Buffer.concat([block, block, Buffer.from("x".repeat(512))])),
      buildTarGz([document], Buffer.alloc(0)),
      gzipSync("hello"),
      gzipSync(buildTar([document])).subarray(0, -20),
    ];
    for (const bytes of bad) expect(() => read(bytes)).toThrow("The archive is refused");
  });
});
