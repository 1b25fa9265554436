import { describe, expect, it } from "vitest";
import { readJson } from "../../src/http/body.ts";

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
