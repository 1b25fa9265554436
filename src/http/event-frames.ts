import type { IdentifiedEvent, SessionEvent } from "../shared/events.ts";

export type Frames = {
  /** Events with an id, in order; the status at the head of a stream has none and is left out. */
  readonly events: readonly IdentifiedEvent[];
  /** Whether there was a keep-alive. */
  readonly isAlive: boolean;
};

/**
 * Reads the frames of one of our own event streams (`src/shared/sse.ts`), however its bytes were cut. It relies on
 * what we write: one `id:` and one `data:` line a frame, line feeds only. Use one reader a stream.
 */
export class FrameReader {
  readonly #decoder = new TextDecoder();
  /** The line that is not whole yet, in pieces: a message with images is long and comes in many. */
  #line: string[] = [];
  #id: string | null = null;

  read(bytes: Uint8Array): Frames {
    const events: IdentifiedEvent[] = [];
    let isAlive = false;
    const lines = this.#decoder.decode(bytes, { stream: true }).split("\n");
    for (const [index, text] of lines.entries()) {
      this.#line.push(text);
      if (index === lines.length - 1) break;
      const line = this.#line.join("");
      this.#line = [];
      if (line.startsWith("id: ")) this.#id = line.slice(4);
      else if (line.startsWith("data: ") && this.#id !== null) {
        events.push({ id: this.#id, event: JSON.parse(line.slice(6)) as SessionEvent });
      } else if (line.startsWith(":")) isAlive = true;
      else if (line === "") this.#id = null;
    }
    return { events, isAlive };
  }
}
