import { ModelError } from "../shared/errors.ts";
import type { ModelEvent } from "./model.ts";

/** A piece of a call. Workers AI's older dialect has `name` and `arguments` outside `function`. */
type Fragment = {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: Named | null;
} & Named;

type Named = { readonly name?: unknown; readonly arguments?: unknown };

type Call = {
  readonly key: unknown;
  readonly id: string;
  /** Our number for it; `null` until its name is known, when nothing of it has been told yet. */
  index: number | null;
  /** Arguments that came before the name. */
  early: string;
  hasInput: boolean;
};

/**
 * Puts tool-call fragments together. Which call a fragment belongs to is told by `index`, or, where a server
 * leaves it out or gives every call the same, by a new `id` or by a name with neither. An id that is empty or
 * repeated changes nothing. Arguments may come in pieces, whole, or as an object instead of JSON text.
 */
export class ChatToolCalls {
  /** Calls that have begun. */
  count = 0;
  readonly #calls: Call[] = [];

  read(fragments: readonly Fragment[], batch: ModelEvent[]): void {
    for (const fragment of fragments) {
      const { name, arguments: input } = fragment.function ?? fragment;
      const call = this.#callOf(fragment, typeof name === "string" && name !== "");
      if (call.index === null && typeof name === "string" && name !== "")
        this.#begin(call, name, batch);
      this.#append(call, inputText(input), batch);
    }
  }

  /** No more fragments follow: a call without arguments gets `{}`. Throws for a call that never had a name. */
  close(batch: ModelEvent[]): void {
    for (const call of this.#calls) {
      if (call.index === null)
        throw new ModelError("malformed", "The model called a tool without saying which.");
      if (!call.hasInput) this.#append(call, "{}", batch);
    }
  }

  #callOf(fragment: Fragment, hasName: boolean): Call {
    const id = typeof fragment.id === "string" ? fragment.id : "";
    const key = fragment.index;
    const known =
      typeof key === "number"
        ? this.#calls.findLast((call) => call.key === key)
        : this.#unnumbered(id, hasName);
    const isOther =
      known !== undefined && hasName && id !== "" && known.id !== "" && id !== known.id;
    if (known && !isOther) return known;
    const call: Call = { key, id, index: null, early: "", hasInput: false };
    this.#calls.push(call);
    return call;
  }

  #unnumbered(id: string, hasName: boolean): Call | undefined {
    if (id !== "") return this.#calls.findLast((call) => call.id === id);
    return hasName ? undefined : this.#calls.at(-1);
  }

  #begin(call: Call, name: string, batch: ModelEvent[]): void {
    call.index = this.count++;
    batch.push({ type: "tool-call", index: call.index, name });
    this.#append(call, call.early, batch);
  }

  #append(call: Call, text: string, batch: ModelEvent[]): void {
    if (text === "") return;
    if (call.index === null) {
      call.early += text;
    } else {
      call.hasInput = true;
      batch.push({ type: "tool-input", index: call.index, text });
    }
  }
}

function inputText(input: unknown): string {
  if (typeof input === "string") return input;
  return typeof input === "object" && input !== null ? JSON.stringify(input) : "";
}
