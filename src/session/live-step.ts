import type { StepPart } from "../shared/messages.ts";
import type { TapePart } from "./tape.ts";

/** What a part without a word in it counts, so that a step of nothing but parts is bounded too. */
const PART_CHARS = 20;

/**
 * The step being streamed, in memory. Text is a list of chunks: appending to one string and slicing it costs
 * the square of its length.
 */
export class LiveStep {
  readonly seq: number;
  readonly turn: string;
  readonly step: number;
  readonly model: string;
  readonly parts: TapePart[] = [];
  /** How much was said, in UTF-16 units: texts, names and signatures, and a little for every part. */
  size = 0;
  /** Tool calls so far. */
  calls = 0;
  /** Whether a checkpoint of it is stored. */
  isSaved = false;

  constructor(at: { seq: number; turn: string; step: number; model: string }) {
    this.seq = at.seq;
    this.turn = at.turn;
    this.step = at.step;
    this.model = at.model;
  }

  /** Text or reasoning goes on; a change of kind closes the part before. */
  say(type: "text" | "reasoning", text: string): void {
    if (text === "") return;
    let part = this.parts.at(-1);
    if (part?.type !== type || part.isClosed) part = this.#open({ type });
    this.#append(part, text);
  }

  /**
   * The provider's signature ends the reasoning it stands for. One without an open thought stands for a thought that
   * is kept from us, as an empty part.
   */
  sign(signature: string): void {
    const last = this.parts.at(-1);
    const part =
      last?.type === "reasoning" && !last.isClosed ? last : this.#open({ type: "reasoning" });
    part.signature = signature;
    part.isClosed = true;
    this.size += signature.length;
  }

  /** A tool call begins; its id is unique in the session because attempts never share a seq. */
  call(name: string): TapePart {
    const call = `call_${this.seq}_${this.calls}`;
    this.calls += 1;
    return this.#open({ type: "tool-call", call, name });
  }

  /** Arguments of a call go on. Calls may grow in turns, but a tape is read in order: a later one shows when it is closed. */
  input(part: TapePart, text: string): void {
    if (text !== "") this.#append(part, text);
  }

  /** Nothing more will be said. */
  close(): void {
    for (const part of this.parts) part.isClosed = true;
  }

  #open(head: Pick<TapePart, "type"> & { call?: string; name?: string }): TapePart {
    const before = this.parts.at(-1);
    if (before && before.type !== "tool-call") before.isClosed = true;
    const part: TapePart = { ...head, chunks: [], starts: [], length: 0, isClosed: false };
    this.parts.push(part);
    this.size += PART_CHARS + (head.name ?? "").length;
    return part;
  }

  #append(part: TapePart, text: string): void {
    part.starts.push(part.length);
    part.chunks.push(text);
    part.length += text.length;
    this.size += text.length;
  }
}

/** The parts as a journal entry keeps them: the same tape, so a reader's cursor stays true. */
export function partsOf(live: Pick<LiveStep, "parts">): StepPart[] {
  return live.parts.map((part): StepPart => {
    const text = part.chunks.join("");
    if (part.type === "tool-call") {
      return { type: "tool-call", call: part.call ?? "", name: part.name ?? "", input: text };
    }
    if (part.type === "reasoning" && part.signature !== undefined) {
      return { type: "reasoning", text, signature: part.signature };
    }
    return { type: part.type, text };
  });
}
