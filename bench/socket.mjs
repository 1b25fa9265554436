// A WebSocket client of the smallest kind: text frames, no compression (which would be measured with the rest).
import { randomBytes } from "node:crypto";
import http from "node:http";

const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/** Connects to `ws://…`; `onText` of the socket that you get is called with each message. */
export function connect(url) {
  return new Promise((resolve, reject) => {
    const headers = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": randomBytes(16).toString("base64"),
    };
    const request = http.get(url.replace(/^ws/, "http"), { headers, agent: false });
    request.once("upgrade", (_, stream, head) => resolve(new Socket(stream, head)));
    request.once("response", ({ statusCode }) =>
      reject(new Error(`${url} answered ${statusCode}`)),
    );
    request.once("error", reject);
  });
}

class Socket {
  onText = () => {};
  #stream;
  #rest;
  #message = [];

  constructor(stream, head) {
    this.#stream = stream.setNoDelay(true);
    this.#rest = head;
    stream.on("error", () => {});
    stream.on("data", (bytes) => {
      this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
      while (this.#readFrame());
    });
  }

  send(text) {
    this.#write(TEXT, Buffer.from(text));
  }

  close() {
    this.#write(CLOSE, Buffer.alloc(0));
    this.#stream.end();
  }

  #write(kind, data) {
    const size = data.length;
    const long = size > 65_535 ? 8 : size > 125 ? 2 : 0;
    const mask = randomBytes(4);
    const frame = Buffer.alloc(6 + long + size);
    frame[0] = 0x80 | kind;
    frame[1] = 0x80 | (long === 8 ? 127 : long === 2 ? 126 : size);
    if (long === 2) frame.writeUInt16BE(size, 2);
    if (long === 8) frame.writeBigUInt64BE(BigInt(size), 2);
    mask.copy(frame, 2 + long);
    for (let at = 0; at < size; at++) frame[6 + long + at] = data[at] ^ mask[at & 3];
    this.#stream.write(frame);
  }

  /** Takes one frame off what has come; whether it did. */
  #readFrame() {
    const bytes = this.#rest;
    if (bytes.length < 2) return false;
    const short = bytes[1] & 0x7f;
    const start = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (bytes.length < start) return false;
    const size =
      short === 127
        ? Number(bytes.readBigUInt64BE(2))
        : short === 126
          ? bytes.readUInt16BE(2)
          : short;
    if (bytes.length < start + size) return false;
    const data = bytes.subarray(start, start + size);
    this.#rest = bytes.subarray(start + size);
    this.#take(bytes[0] & 0x0f, (bytes[0] & 0x80) !== 0, data);
    return true;
  }

  #take(kind, isLast, data) {
    if (kind === PING) return this.#write(PONG, data);
    if (kind > 2) return;
    this.#message.push(data);
    if (!isLast) return;
    const text = Buffer.concat(this.#message).toString();
    this.#message = [];
    this.onText(text);
  }
}
