import { CarrelError } from "../../../shared/errors.ts";
import { cutAt } from "../../../shared/text.ts";

const PACK_BAND = 1;
const ERROR_BAND = 3;
const LETTER_E = 69;
const MESSAGE_BYTES = 300;

/**
 * Takes apart what a Git server answers (gitprotocol-common, "pkt-line format"; gitprotocol-pack, "side-band-64k") as it comes
 * in. Knows an answer that was cut off, and one that reports an error, which the library takes for short ones.
 */
export class Frames {
  readonly #where: string;
  readonly #onPack: (part: Uint8Array) => void;
  #head = "";
  /** Bytes of the frame that are still to come. */
  #left = 0;
  #isNew = false;
  #isPack = false;
  #hasEnded = false;
  /** The beginning of a frame that may hold an error. */
  #message: number[] = [];

  /** `onPack` gets what a pack consists of, in order; a part is a view of what was fed. */
  constructor(where: string, onPack: (part: Uint8Array) => void = () => {}) {
    this.#where = where;
    this.#onPack = onPack;
  }

  /** Throws `CarrelError`: `malformed` where these are no frames, `unavailable` with what the server reports. */
  feed(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;)
      at += this.#left > 0 ? this.#body(chunk, at) : this.#length(chunk, at);
  }

  /** Throws `CarrelError('unavailable')` when the answer is not whole. */
  end(): void {
    if (this.#left > 0 || this.#head !== "" || !this.#hasEnded)
      throw new CarrelError(
        "unavailable",
        `The answer of the Git server at ${this.#where} stops in the middle. It is asked again later.`,
      );
  }

  /** Of the four hexadecimal digits before a frame, as many as are there. */
  #length(chunk: Uint8Array, at: number): number {
    const digits = chunk.subarray(at, at + 4 - this.#head.length);
    this.#head += String.fromCharCode(...digits);
    if (this.#head.length < 4) return digits.length;
    const size = /^[0-9a-f]{4}$/i.test(this.#head) ? Number.parseInt(this.#head, 16) : 3;
    if (size === 3)
      throw new CarrelError("malformed", `${this.#where} does not answer as a Git server does.`);
    this.#head = "";
    this.#hasEnded = size === 0;
    this.#left = Math.max(0, size - 4);
    this.#isNew = true;
    this.#message = [];
    return digits.length;
  }

  #body(chunk: Uint8Array, at: number): number {
    const part = chunk.subarray(at, at + this.#left);
    this.#left -= part.length;
    const band = this.#isNew ? part[0] : null;
    if (band !== null) this.#isPack = band === PACK_BAND;
    this.#isNew = false;
    if (this.#isPack) this.#onPack(band === null ? part : part.subarray(1));
    else if (band === ERROR_BAND || band === LETTER_E || this.#message.length > 0)
      this.#message.push(...part.subarray(0, MESSAGE_BYTES - this.#message.length));
    if (this.#left === 0) this.#check();
    return part.length;
  }

  #check(): void {
    const text = new TextDecoder().decode(Uint8Array.from(this.#message));
    if (this.#message[0] !== ERROR_BAND && !text.startsWith("ERR ")) return;
    const words = text
      .replace(/^ERR /, "")
      .replace(/[\p{Cc}\s]+/gu, " ")
      .trim();
    throw new CarrelError(
      "unavailable",
      `The Git server at ${this.#where} reports: ${JSON.stringify(cutAt(words, 200))}`,
    );
  }
}

/** A frame with a line of text, as a client sends it. */
export const frameOf = (line: string): string =>
  (line.length + 5).toString(16).padStart(4, "0") + `${line}\n`;

/** Ends what belongs together. */
export const FLUSH = "0000";
