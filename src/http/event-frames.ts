import type { IdentifiedEvent, SessionEvent, SessionStatus } from "../shared/events.ts";

export type Frames = {
  /** Events with an id, in order. */
  readonly events: readonly IdentifiedEvent[];
  /** What the head of a stream says about the present; only there. */
  readonly status: SessionStatus | null;
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
    let status: SessionStatus | null = null;
    let isAlive = false;
    const lines = this.#decoder.decode(bytes, { stream: true }).split("\n");
    for (const [index, text] of lines.entries()) {
      this.#line.push(text);
      if (index === lines.length - 1) break;
      const line = this.#line.join("");
      this.#line = [];
      if (line.startsWith("id: ")) this.#id = line.slice(4);
      else if (line.startsWith("data: ")) {
        const event = JSON.parse(line.slice(6)) as SessionEvent;
        if (this.#id !== null) events.push({ id: this.#id, event });
        else if (event.type === "status") status = event;
      } else if (line.startsWith(":")) isAlive = true;
      else if (line === "") this.#id = null;
    }
    return { events, status, isAlive };
  }
}
