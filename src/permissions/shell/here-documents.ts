import type { OpenCommand } from "./shell-text.ts";

type Expected = {
  readonly end: string;
  readonly stripsTabs: boolean;
  readonly isLiteral: boolean;
  readonly command: OpenCommand;
};

type Bodies = {
  /** Behind the last one. */
  readonly at: number;
  /** All were found, and every shell would find them there. */
  readonly isComplete: boolean;
  /** Those in which the shell still looks for substitutions. */
  readonly expanding: readonly string[];
};

/** The here-documents of a line, which follow once it ends. */
export class HereDocuments {
  #expected: Expected[] = [];

  get areOpen(): boolean {
    return this.#expected.length > 0;
  }

  expect(end: string, stripsTabs: boolean, isLiteral: boolean, command: OpenCommand): void {
    this.#expected.push({ end, stripsTabs, isLiteral, command });
  }

  /** Reads the bodies that begin at `from` and gives them to their commands. */
  read(text: string, from: number): Bodies {
    const expanding: string[] = [];
    let at = from;
    let isComplete = true;
    for (const document of this.#expected) {
      const { body, next, isClear } = readBody(text, at, document);
      at = next;
      if (!isClear) isComplete = false;
      document.command.inputs.push(body);
      if (!document.isLiteral) expanding.push(body);
    }
    this.#expected = [];
    return { at, isComplete, expanding };
  }
}

function readBody(text: string, from: number, { end, stripsTabs, isLiteral }: Expected) {
  let isClear = true;
  for (let at = from; at < text.length;) {
    const newline = text.indexOf("\n", at);
    const stop = newline < 0 ? text.length : newline;
    const line = text.slice(at, stop);
    const next = newline < 0 ? text.length : newline + 1;
    if ((stripsTabs ? line.replace(/^\t+/, "") : line) === end)
      return { body: text.slice(from, at), next, isClear };
    // The next line is a part of this one to some shells, and so no end.
    if (!isLiteral && line.endsWith("\\")) isClear = false;
    at = next;
  }
  return { body: text.slice(from), next: text.length, isClear: false };
}
