import type { Word } from "../shell/shell-text.ts";

/** The arguments of a program as checks ask for them. */
export class Arguments {
  /** Everything, as it is written. */
  readonly texts: readonly string[];
  /** What is no option, in lower case. */
  readonly operands: readonly string[];
  /** The shell puts something in that cannot be told. */
  readonly isComputed: boolean;
  readonly words: readonly Word[];

  constructor(words: readonly Word[]) {
    this.words = words;
    this.texts = words.map(({ text }) => text);
    this.operands = this.texts
      .filter((text) => !/^-./.test(text))
      .map((text) => text.toLowerCase());
    this.isComputed = words.some((word) => word.isComputed);
  }

  /** Whether an option is given: by its letter, alone or among others, or by the beginning of its name. */
  has(letter: string, name = ""): boolean {
    return this.texts.some((text) => {
      const [long = ""] = text.split("=", 1);
      if (long.startsWith("--"))
        return name !== "" && long.length > 2 && name.startsWith(long.slice(2));
      return (
        text.startsWith("-") &&
        (text.slice(1).includes(letter) || (name !== "" && long === `-${name}`))
      );
    });
  }

  /** Whether these words stand among the operands, one behind the other. */
  says(phrase: string): boolean {
    return ` ${this.operands.join(" ")} `.includes(` ${phrase} `);
  }

  /** Whether some argument fits. */
  some(pattern: RegExp): boolean {
    return this.texts.some((text) => pattern.test(text));
  }
}
