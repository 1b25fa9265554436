import { describe, expect, it } from "vitest";
import { readBytes, readJson } from "../../src/http/body.ts";

const MAX_BYTES = 40;
const encoder = new TextEncoder();

/** A body that comes in pieces; its length is only known at its end, unless `length` says it before. */
function requestOf(pieces: readonly Uint8Array[], length?: number): Request {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const headers = new Headers({ "content-type": "application/json" });
  if (length !== undefined) headers.set("content-length", String(length));
  const init = { method: "POST", headers, body, duplex: "half" };
  return new Request("http://localhost/", init);
}

/** Each byte for itself, so that every character of more than one is parted. */
const inBytes = (text: string): Uint8Array[] =>
  [...encoder.encode(text)].map((byte) => Uint8Array.of(byte));

describe("a JSON body", () => {
  it.each([
    [
      "with its length",
      (text: string) => requestOf([encoder.encode(text)], encoder.encode(text).length),
    ],
    ["without its length, byte by byte", (text: string) => requestOf(inBytes(text))],
  ])("is read %s, up to its limit and no further", async (_, send) => {
    expect(await readJson(send('{"a":"€𝄞"}'), MAX_BYTES)).toEqual({ a: "€𝄞" });
    const full = `"${"x".repeat(MAX_BYTES - 2)}"`;
    expect(await readJson(send(full), MAX_BYTES)).toBe("x".repeat(MAX_BYTES - 2));
    await expect(readJson(send(`${full} `), MAX_BYTES)).rejects.toMatchObject({
      code: "too_large",
    });
  });

  it("[H1] that is larger than it said is refused all the same", async () => {
    const request = requestOf([new Uint8Array(MAX_BYTES + 1)], 1);
    await expect(readJson(request, MAX_BYTES)).rejects.toMatchObject({ code: "too_large" });
  });

  it("[H1] that ends inside a character is refused", async () => {
    const request = requestOf([encoder.encode('"€').subarray(0, 3)]);
    await expect(readJson(request, MAX_BYTES)).rejects.toMatchObject({
      code: "invalid",
      message: "The body is not valid UTF-8.",
    });
  });
});

describe("a body of bytes", () => {
  const read = (request: Request) => readBytes(request, "The file", MAX_BYTES, "40 bytes");
  const some = [Uint8Array.of(1, 2), new Uint8Array(), Uint8Array.of(3)];

  it("[W5] is what came, however it came", async () => {
    for (const length of [undefined, 3])
      expect(await read(requestOf(some, length))).toEqual(Uint8Array.of(1, 2, 3));
    expect(await read(requestOf([new Uint8Array(MAX_BYTES)]))).toHaveLength(MAX_BYTES);
    expect(await read(new Request("http://localhost/"))).toHaveLength(0);
  });

  it("[H1] is refused when its length is a lie, and read no further than its limit", async () => {
    await expect(read(requestOf(some, 4))).rejects.toMatchObject({ code: "invalid" });
    expect(await read(requestOf(some, 1))).toEqual(Uint8Array.of(1, 2, 3));
    await expect(read(requestOf(some, 41))).rejects.toMatchObject({ code: "too_large" });
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(8));
      },
    });
    const init = { method: "PUT", body, duplex: "half" };
    await expect(read(new Request("http://localhost/", init))).rejects.toMatchObject({
      code: "too_large",
      message: "The file is larger than 40 bytes. Nothing was stored; send less.",
    });
    expect(pulled).toBeLessThan(10);
  });
});
