import { beforeEach, describe, expect, it } from "vitest";
import { buildZip, type Ending, type Part } from "../support/zip-builder.ts";
import { Desk, ownFiles, ownPaths, problemOf } from "./files-fixture.ts";

let desk: Desk;
beforeEach(() => {
  desk = new Desk();
});

const importIt = (body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  desk.ask("ann", "/agents/main/archive", {
    method: "POST",
    body,
    headers: { "content-type": "application/zip", ...headers },
  });

const good: Part = { name: "good.md", content: "good" };
const zeros = (size: number) => new Uint8Array(size);

const names: readonly (readonly [string, string | Uint8Array])[] = [
  ["that leaves the root", "../evil"],
  ["that leaves the root further down", "a/../../evil"],
  ["that is absolute", "/etc/passwd"],
  ["with a backslash", "a\\..\\evil"],
  ["of a share", "\\\\host\\share"],
  ["with NUL", "a\0b"],
  ["with a line break", "a\nb"],
  ["with a line separator", "a\u2028b"],
  ["that is blank", ""],
  ["that is the root", "/"],
  ["that is a dot", "./a"],
  ["with a blank name", "a//b"],
  ["that is too long", "x".repeat(513)],
  ["that is not UTF-8", Uint8Array.of(0x61, 0xff)],
  ["with half of a surrogate pair", Uint8Array.of(0xed, 0xa0, 0x80)],
  ["in an overlong encoding", Uint8Array.of(0xc0, 0xae, 0xc0, 0xae, 0x2f)],
];

/** What is wrong, what the refusal says, and the archive. */
const archives: [string, string, readonly Part[], Ending?][] = [
  ["two entries of one path", "in it twice", [good, good]],
  ["a file that is also a directory", "both a file and a directory", [good, { name: "good.md/x" }]],
  [
    "a file that is also a directory entry",
    "both a file and a directory",
    [good, { name: "good.md/" }],
  ],
  ["a directory with content", "has content", [{ name: "d/", content: "x" }]],
  ["a symlink", "a link, a device", [{ name: "link", content: "/etc/passwd", mode: 0o120777 }]],
  ["a device", "a link, a device", [{ name: "dev", mode: 0o060666 }]],
  ["a pipe", "a link, a device", [{ name: "pipe", mode: 0o010666 }]],
  ["a file that says it is a directory", "a link, a device", [{ name: "x", mode: 0o040755 }]],
  ["encryption", "is encrypted", [{ ...good, both: { flags: 0x0801 } }]],
  ["strong encryption", "flags that are not known", [{ ...good, both: { flags: 0x0840 } }]],
  ["a masked header", "flags that are not known", [{ ...good, both: { flags: 0x2800 } }]],
  ["an unknown method", "Use deflate", [{ ...good, both: { method: 12 } }]],
  ["a wrong checksum", "checksum", [{ ...good, both: { crc: 1 } }]],
  ["a stored file with two sizes", "cannot be true", [{ ...good, both: { size: 3 } }]],
  [
    "a file that is larger than it says",
    "larger than it says",
    [{ ...good, deflate: true, both: { size: 3 } }],
  ],
  [
    "a file that is smaller than it says",
    "smaller than it says",
    [{ ...good, deflate: true, both: { size: 5 } }],
  ],
  [
    "a size that no compression reaches",
    "cannot be true",
    [{ ...good, deflate: true, both: { size: 20_000_000 } }],
  ],
  [
    "more than 25 MiB",
    "larger than 25 MiB",
    [{ name: "big", content: zeros(25 * 2 ** 20 + 1), deflate: true }],
  ],
  [
    "a bomb that says it is small",
    "larger than it says",
    [{ name: "b", content: zeros(2e8), deflate: true, both: { size: 9 } }],
  ],
  [
    "a bomb of many files",
    "200 MiB in all",
    Array.from({ length: 9 }, (_, index): Part => ({
      name: `${index}`,
      content: zeros(24 * 2 ** 20),
      deflate: true,
    })),
  ],
  ["data that is not compressed", "not compressed as it says", [{ ...good, both: { method: 8 } }]],
  [
    "a text that is cut off",
    "not compressed as it says",
    [{ ...good, deflate: true, both: { packed: 2 } }],
  ],
  ["zip64 sizes", "zip64", [{ ...good, both: { size: 0xffffffff } }]],
  ["zip64 counts", "zip64", [good], { entries: 0xffff }],
  ["a zip64 offset", "zip64", [good], { directory: 0xffffffff }],
  [
    "a zip64 locator",
    "zip64",
    [good],
    { beforeEnd: Buffer.from(`504b0607${"00".repeat(16)}`, "hex") },
  ],
  ["a gap before its end", "not where it says", [good], { beforeEnd: zeros(7) }],
  ["several parts", "one part of several", [good], { disk: 1 }],
  ["an entry on another part", "one part of several", [{ ...good, central: { disk: 1 } }]],
  ["fewer entries than it says", "directory is broken", [good], { entries: 2 }],
  ["more entries than it says", "longer than its entries", [good, { name: "b" }], { entries: 1 }],
  ["two numbers of entries", "one part of several", [good], { entriesHere: 2 }],
  ["a directory that is elsewhere", "not where it says", [good], { directory: 3 }],
  ["a directory of another size", "not where it says", [good], { directorySize: 3 }],
  ["something after its end", "follows its end", [good], { afterEnd: zeros(1) }],
  ["two ends", "more than one end", [good], { comment: Buffer.concat([buildZip([])]) }],
  [
    "an entry that is nowhere",
    "not where its directory says",
    [{ ...good, central: { offset: 5 } }],
  ],
  [
    "an entry past the end",
    "not where its directory says",
    [{ ...good, central: { offset: 0xfffffff0 } }],
  ],
  [
    "an entry that reaches into the directory",
    "not where its directory says",
    [{ ...good, both: { packed: 50, size: 50 } }],
  ],
  ["two names for one entry", "contradicts itself", [{ ...good, local: { name: "evil.md" } }]],
  ["two checksums for one entry", "contradicts itself", [{ ...good, local: { crc: 1 } }]],
  ["two methods for one entry", "contradicts itself", [{ ...good, local: { method: 8 } }]],
  ["two sets of flags for one entry", "contradicts itself", [{ ...good, local: { flags: 0 } }]],
  [
    "entries that overlap",
    "overlaps",
    [
      { name: "a", content: "x".repeat(99), both: { packed: 110, size: 110 } },
      { name: "b", content: "y" },
    ],
  ],
  [
    "two entries with the same bytes",
    "overlaps",
    [
      { name: "a", content: "x" },
      { name: "a", central: { offset: 0, size: 1, packed: 1, crc: 0x8cdc1683 } },
    ],
  ],
  ["a log that is not text", "is a log", [{ name: "s.log.jsonl", content: Uint8Array.of(0xff) }]],
  [
    "a log that ends inside a character",
    "is a log",
    [{ name: "s.log.jsonl", content: Uint8Array.of(0xe6, 0xbc) }],
  ],
  ["a log with NUL", "is a log", [{ name: "s.log.jsonl", content: "\0" }]],
  ["whiteouts of a newer version", "its comment", [good], { comment: '{"carrel":2}' }],
  [
    "whiteouts that are no list",
    "its comment",
    [good],
    { comment: '{"carrel":1,"whiteouts":"x"}' },
  ],
  [
    "a whiteout that leaves the root",
    'must not contain ".."',
    [good],
    { comment: '{"carrel":1,"whiteouts":["../x"]}' },
  ],
  [
    "a whiteout of everything",
    "plain relative path",
    [good],
    { comment: '{"carrel":1,"whiteouts":[""]}' },
  ],
  [
    "a whiteout twice",
    "a whiteout twice",
    [good],
    { comment: '{"carrel":1,"whiteouts":["a","a"]}' },
  ],
  [
    "too many entries",
    "more than 10000 entries",
    Array.from({ length: 10_001 }, (_, index): Part => ({ name: `f${index}` })),
  ],
];

const expectRefusal = async (response: Response, status = 400, why = "") => {
  const problem = await problemOf(response);
  expect([response.status, problem.message]).toEqual([status, problem.message]);
  expect(problem.message.length).toBeGreaterThan(20);
  expect(problem.message).toContain(why);
  expect(await desk.stored()).toEqual({});
  expect(desk.lab.calls).toEqual([]);
};

describe("a hostile archive", () => {
  it.each(names)("[W17] with a name %s is refused whole", async (_, name) => {
    await expectRefusal(await importIt(buildZip([good, { name, content: "x" }])));
  });

  it.each<[string, string, readonly Part[], Ending?]>(archives)(
    "[W17] with %s is refused whole",
    async (_, why, parts, ending) => {
      await expectRefusal(await importIt(buildZip(parts, ending)), 400, why);
    },
  );

  it("[W17] that was cut off anywhere is refused", async () => {
    const zip = buildZip([good, { name: "b.md", content: "bbbb".repeat(50), deflate: true }]);
    for (let length = 0; length < zip.length; length++)
      await expectRefusal(await importIt(zip.slice(0, length)));
  });

  it("[W17] with any one byte changed is refused, or says the same", async () => {
    const zip = buildZip([good, { name: "b.md", content: "bbbb".repeat(50), deflate: true }]);
    for (let at = 0; at < zip.length; at++) {
      const changed = zip.with(at, (zip[at] ?? 0) ^ 0x41);
      const response = await importIt(Uint8Array.from(changed));
      expect([200, 400]).toContain(response.status);
      if (response.status === 400) expect(desk.lab.calls).toEqual([]);
      else {
        const sizes = (await ownFiles(desk.workspace())).map(({ size }) => size);
        expect(sizes.toSorted((a, b) => a - b)).toEqual([4, 200]);
        desk = new Desk();
      }
    }
  });

  it("[H1] that is no archive at all is refused", async () => {
    for (const text of ["", "PK", "hello", "PK\u0005\u0006"])
      await expectRefusal(await importIt(Uint8Array.from(Buffer.from(text))));
  });

  it("[H1] is a zip archive of at most 32 MB by what it says and by what comes", async () => {
    const zip = buildZip([good]);
    await expectRefusal(await importIt(zip, { "content-type": "application/json" }), 415);
    await expectRefusal(await importIt(zip, { "content-length": "32000001" }), 413);
    await expectRefusal(await importIt(zeros(32_000_001)), 413);
  });
});

describe("an archive of another program", () => {
  it.each<[string, readonly Part[], Ending?]>([
    [
      "with directories",
      [
        { name: "d/", mode: 0o040755 },
        { name: "d/good.md", content: "good" },
      ],
    ],
    [
      "with names that are not marked as UTF-8",
      [{ name: "d/good.md", content: "good", both: { flags: 0 } }],
    ],
    ["with a comment", [{ name: "d/good.md", content: "good" }], { comment: "made by hand" }],
    [
      "with sizes behind the data",
      [
        {
          name: "d/good.md",
          content: "good",
          both: { flags: 0x0808 },
          local: { crc: 0, size: 0, packed: 0 },
        },
      ],
    ],
    [
      "with bytes of its own before the directory",
      [{ name: "d/good.md", content: "good" }],
      { beforeDirectory: zeros(16) },
    ],
  ])("%s is taken", async (_, parts, ending) => {
    const response = await importIt(buildZip(parts, ending));
    expect(await response.json()).toEqual({ files: 1, whiteouts: 0 });
    expect(await ownPaths(desk.workspace())).toEqual(["d/good.md"]);
  });
});
