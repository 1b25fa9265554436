import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { CarrelError } from "../../../../src/shared/errors.ts";
import {
  checkPack,
  packBounds,
  type PackBounds,
} from "../../../../src/skills/repositories/git/check-pack.ts";
import { commit, git } from "../../../support/git-server.ts";

const directory = mkdtempSync(join(tmpdir(), "carrel-pack-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** Of a file, what is almost the same, and an empty one: whole objects and a delta. */
function realPack(): Uint8Array {
  git(directory, ["init", "--quiet", "--bare", "."]);
  const lines = Array.from({ length: 400 }, (_, at) => `line ${at}\n`).join("");
  commit(directory, [
    { path: "a", content: lines },
    { path: "b", content: `${lines}more` },
    { path: "c", content: "" },
  ]);
  git(directory, ["repack", "-adfq"]);
  const packs = join(directory, "objects/pack");
  const name = readdirSync(packs).find((file) => file.endsWith(".pack")) ?? "";
  return Uint8Array.from(readFileSync(join(packs, name)));
}

/** A pack of one object, which says it is `type` and unpacks to `size` bytes. */
function packOf(type: number, size: number, content: Uint8Array, base: number[] = []): Uint8Array {
  const sizes = [(type << 4) | (size & 15) | (size > 15 ? 0x80 : 0)];
  for (let rest = size >> 4; rest > 0; rest >>= 7)
    sizes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
  const head = Buffer.from("PACK\0\0\0\u0002\0\0\0\u0001", "latin1");
  const parts = [head, Buffer.from(sizes), Buffer.from(base), deflateSync(content)];
  return Uint8Array.from(Buffer.concat([...parts, Buffer.alloc(20)]));
}

const BLOB = 3;
const DELTA = 6;

function judge(pack: Uint8Array, bounds: Partial<PackBounds> = {}): string {
  try {
    checkPack(pack, "here", { ...packBounds, ...bounds });
    return "fine";
  } catch (error) {
    if (error instanceof CarrelError) return error.code;
    throw error;
  }
}

describe("checkPack", () => {
  const pack = realPack();

  it("[K1] finds nothing wrong with what Git packs, deltas included", () => {
    expect(judge(pack)).toBe("fine");
    expect(judge(packOf(BLOB, 5, Buffer.from("hello")))).toBe("fine");
    expect(judge(packOf(BLOB, 0, Buffer.alloc(0)))).toBe("fine");
  });

  it("[K1] one that would unpack to too much is refused, by what it says and by what is in it", () => {
    expect(judge(pack, { objects: 3 })).toBe("too_large");
    expect(judge(pack, { objectBytes: 3_000 })).toBe("too_large");
    expect(judge(pack, { totalBytes: 5_000 })).toBe("too_large");
    const zeros = Buffer.alloc(200_000);
    expect(judge(packOf(BLOB, 200_000, zeros), { objectBytes: 100_000 })).toBe("too_large");
    expect(judge(packOf(BLOB, 10, zeros))).toBe("malformed");
    expect(judge(packOf(BLOB, 300_000, zeros))).toBe("malformed");
  });

  it("[K1] a delta counts as what it makes", () => {
    // From 1 byte to 2^34.
    const delta = Buffer.from([1, 0x80, 0x80, 0x80, 0x80, 0x40]);
    expect(judge(packOf(DELTA, delta.length, delta, [1]))).toBe("too_large");
    expect(judge(packOf(DELTA, 2, Buffer.from([1, 1]), [1]))).toBe("fine");
    expect(judge(packOf(DELTA, 2, Buffer.from([1, 0x80]), [1]))).toBe("malformed");
  });

  it("[K1] one that is cut off anywhere, or has more at its end, is malformed", () => {
    const cuts = Array.from({ length: 40 }, (_, at) => Math.floor((pack.length * at) / 40));
    for (const cut of cuts) expect(judge(pack.subarray(0, cut))).toBe("malformed");
    expect(judge(Uint8Array.from([...pack, 0]))).toBe("malformed");
    for (const type of [0, 5]) expect(judge(packOf(type, 1, Buffer.from("x")))).toBe("malformed");
  });

  it("[K1] whatever is changed in it, it is judged, without anything else being thrown", () => {
    const seen = new Set<string>();
    for (let at = 0; at < pack.length; at += 1) {
      const changed = Uint8Array.from(pack);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      seen.add(judge(changed));
    }
    expect([...seen].toSorted()).toEqual(["fine", "malformed", "too_large"]);
  });
});
