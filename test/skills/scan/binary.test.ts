import { describe, expect, it } from "vitest";
import type { ScanReport } from "../../../src/shared/skill-facts.ts";
import { scanSkill } from "../../../src/skills/scan/scan.ts";

const scan = (bytes: Uint8Array, path = "assets/a", executable = false): ScanReport =>
  scanSkill([{ path, content: { bytes }, executable }]);

const hex = (text: string): Uint8Array =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

const tar = new Uint8Array(512);
tar.set(new TextEncoder().encode("ustar"), 257);

describe("the scanner, of files that are no text", () => {
  it.each([
    ["an ELF program", hex("7f454c4602010100"), "a", "program"],
    ["a Windows program", hex("4d5a9000"), "a.txt", "program"],
    ["a Mach-O program", hex("cffaedfe"), "a", "program"],
    ["a Java class", hex("cafebabe00000034"), "a", "program"],
    ["WebAssembly", hex("0061736d01000000"), "a", "program"],
    ["compiled Python", hex("a70d0d0a00000000"), "a.pyc", "program"],
    ["a ZIP archive", hex("504b030414000000"), "a.docx", "archive"],
    ["a gzip archive", hex("1f8b0800"), "a.tar.gz", "archive"],
    ["a tar archive", tar, "a", "archive"],
    ["a 7-Zip archive", hex("377abcaf271c"), "a", "archive"],
  ])("[K9] finds %s doubtful", (_, bytes, path, rule) => {
    const { verdict, findings } = scan(bytes, path);
    expect(verdict).toBe("caution");
    expect(findings).toMatchObject([{ rule, path, line: 1, category: "obfuscation" }]);
    expect(findings[0]?.excerpt).toContain(`${bytes.byteLength} bytes`);
  });

  it("[K9] finds whatever else can be run doubtful", () => {
    expect(scan(hex("0001020304"), "run", true).verdict).toBe("caution");
  });

  it("[K9] finds nothing in a picture or a font", () => {
    expect(scan(hex("89504e470d0a1a0a00000000"), "a.png").verdict).toBe("safe");
    expect(scan(hex("0001000000"), "a.ttf").verdict).toBe("safe");
  });

  it("[K9] reads a script that is no UTF-8 all the same", () => {
    const script = new TextEncoder().encode("#!/bin/sh\nrm -rf /\n");
    expect(scan(Uint8Array.of(...script, 0xff)).verdict).toBe("dangerous");
    expect(scan(Uint8Array.of(...script, 0, 0xff)).verdict).toBe("dangerous");
    const wide = Uint8Array.from(Buffer.from("\ufeffrm -rf /\n", "utf16le"));
    expect(scan(wide).verdict).toBe("dangerous");
  });
});
