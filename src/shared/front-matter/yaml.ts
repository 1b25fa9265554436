import {
  CST,
  Composer,
  type Document,
  Lexer,
  type Pair,
  Parser,
  isAlias,
  isMap,
  isScalar,
  isSeq,
} from "yaml";

/** `text`: what a value without structure is written as: `1.10`, `true`, or what is in its quotes; else `null`. */
export type Value = { readonly plain: unknown; readonly text: string | null };

/** The keys of the outermost map in their order. `warnings`: what was read all the same. */
export type YamlMap = {
  readonly kind: "map";
  readonly values: ReadonlyMap<string, Value>;
  readonly warnings: readonly string[];
};

/** `why`: in words, without a full stop. */
export type YamlRefused = { readonly kind: "refused"; readonly why: string };

/** How much may still be read, so that many small texts cost no more than one. In lexemes: about five a line. */
export type YamlBudget = { lexemes: number };

const MAX_DEPTH = 10;
const MAX_ALIASES = 10;
/** Tags and anchors. */
const MAX_MARKS = 20;
const TOO_MANY = "it has too many parts";

class Refusal extends Error {}

/** The front matter of a skill has no more; the work grows with it, and so do the errors that can be made. */
export const yamlBudget = (): YamlBudget => ({ lexemes: 1_000 });

/**
 * Reads YAML 1.2 (core schema) whose outermost value is a map, as plain values: objects without prototypes, lists, texts,
 * numbers, booleans, `null`. A number that cannot be kept exactly stays text, as does a date. Of a key that is there twice
 * the last one counts. Tags mean nothing. Refused: at most 10 levels, 10 aliases and the budget. Never throws.
 */
export function readYamlMap(source: string, budget: YamlBudget): YamlMap | YamlRefused {
  if (budget.lexemes <= 0) return { kind: "refused", why: TOO_MANY };
  try {
    return mapOf(compose(tokensOf(source, budget)));
  } catch (error) {
    if (error instanceof Refusal) return { kind: "refused", why: error.message };
    // The parser is for texts of good will: whatever else it ends with, this one cannot be read.
    return { kind: "refused", why: "it is not YAML that can be read" };
  }
}

function tokensOf(source: string, budget: YamlBudget): CST.Token[] {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let marks = 0;
  for (const lexeme of new Lexer().lex(source)) {
    budget.lexemes -= 1;
    if (/^[&!]/.test(lexeme)) marks += 1;
    if (budget.lexemes < 0 || marks > MAX_MARKS) throw new Refusal(TOO_MANY);
    if (lexeme.startsWith("%")) throw new Refusal("it has a YAML directive");
    tokens.push(...parser.next(lexeme));
  }
  tokens.push(...parser.end());
  for (const token of tokens) assertSound(token, 0);
  return tokens;
}

/**
 * Refuses at the first fault, and before the composer sees it: that one goes on, and makes an error of each of thousands.
 */
function assertSound(token: CST.Token | null | undefined, depth: number): void {
  if (!token) return;
  if (depth > MAX_DEPTH + 1) throw new Refusal(`it is nested deeper than ${MAX_DEPTH} levels`);
  switch (token.type) {
    case "error":
      throw new Refusal(token.message);
    case "document":
      assertSound(token.value, depth);
      return;
    case "double-quoted-scalar":
    case "block-scalar":
      CST.resolveAsScalar(token, true, (_offset, _code, message) => {
        throw new Refusal(message);
      });
      return;
    case "block-map":
    case "block-seq":
    case "flow-collection":
      for (const { key, value } of token.items) {
        assertSound(key, depth + 1);
        assertSound(value, depth + 1);
      }
  }
}

function compose(tokens: readonly CST.Token[]): Document.Parsed {
  const composer = new Composer({
    schema: "core",
    merge: false,
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  const documents = [...composer.compose(tokens)];
  const [document] = documents;
  if (!document) throw new Refusal("it is empty");
  if (documents.length > 1) throw new Refusal("it is more than one YAML document");
  const [error] = document.errors;
  if (error) throw new Refusal(error.message);
  return document;
}

function mapOf(document: Document.Parsed): YamlMap {
  if (!isMap(document.contents)) throw new Refusal("it is no list of keys and values");
  const reader = new Reader();
  const values = new Map<string, Value>();
  const warnings = new Set<string>();
  for (const { key, value } of document.contents.items) {
    const name = textOfKey(key);
    if (values.has(name)) warnings.add(`${quote(name)} is there twice: the last one counts.`);
    values.set(name, { plain: reader.plain(value, 1), text: textOf(value) });
  }
  if (document.warnings.length > 0) warnings.add("Its YAML tags mean nothing here.");
  if (reader.isRepeated) warnings.add("A key of a nested map is there twice: the last one counts.");
  return { kind: "map", values, warnings: [...warnings] };
}

/** A key as warnings name it. */
export const quote = (key: string): string => JSON.stringify(key.slice(0, 64));

/** Makes plain values. An alias is the very value of its anchor, so that aliases of aliases cost nothing. */
class Reader {
  isRepeated = false;
  readonly #anchors = new Map<string, unknown>();
  #aliases = 0;

  plain(node: unknown, depth: number): unknown {
    if (isAlias(node)) return this.#valueOf(node.source);
    const value = this.#build(node, depth);
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor)
      this.#anchors.set(node.anchor, value);
    return value;
  }

  #build(node: unknown, depth: number): unknown {
    if (isScalar(node)) return plainScalar(node.value, node.source);
    if (!isMap(node) && !isSeq(node)) return null;
    if (depth > MAX_DEPTH) throw new Refusal(`it is nested deeper than ${MAX_DEPTH} levels`);
    if (isSeq(node)) return node.items.map((item) => this.plain(item, depth + 1));
    return this.#map(node.items, depth);
  }

  #map(items: readonly Pair[], depth: number): unknown {
    const made: Record<string, unknown> = Object.create(null);
    for (const { key, value } of items) {
      const name = textOfKey(key);
      this.isRepeated ||= name in made;
      made[name] = this.plain(value, depth + 1);
    }
    return made;
  }

  #valueOf(anchor: string): unknown {
    this.#aliases += 1;
    if (this.#aliases > MAX_ALIASES) throw new Refusal(`it has more than ${MAX_ALIASES} aliases`);
    if (!this.#anchors.has(anchor)) throw new Refusal("it has an alias of what is not there");
    return this.#anchors.get(anchor);
  }
}

function textOfKey(key: unknown): string {
  const text = textOf(key);
  if (text === null) throw new Refusal("a key of it is no text");
  return text;
}

function textOf(node: unknown): string | null {
  if (!isScalar(node)) return null;
  if (typeof node.value === "string") return node.value;
  return node.source ?? "";
}

function plainScalar(value: unknown, source = ""): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  const isExact =
    typeof value === "number" &&
    Number.isFinite(value) &&
    (Number.isSafeInteger(value) || !Number.isInteger(value));
  return isExact ? value : source;
}
