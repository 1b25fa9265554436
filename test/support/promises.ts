import { calledName } from "./shape.ts";
import { type Node, type Source, place, walk } from "./source.ts";

export type Promised = { readonly number: string; readonly toCome: boolean };

/** The lines of `test/promises.md`, in their order: `- X9 sentence`, perhaps ending with `(to come: reason)`. */
export function readPromises(markdown: string): Promised[] {
  return [...markdown.matchAll(/^- ([A-Z]\d+) (.+)$/gm)].map(([, number = "", sentence = ""]) => ({
    number,
    toCome: /\(to come: [^()]+\)$/.test(sentence),
  }));
}

/** A number in the name of a test or a group of tests. */
export type Claim = { readonly number: string; readonly place: string };

/** What the names of tests claim to prove: `[X9]`, or several as `[X9, Y1]`. */
export function readClaims(sources: readonly Source[]): Claim[] {
  return sources.flatMap((source) => {
    const claims: Claim[] = [];
    walk(source.program, (node) => {
      if (node.type !== "CallExpression" || calledName(node.callee) === null) return;
      for (const [, numbers = ""] of nameOf(node).matchAll(/\[([A-Z]\d+(?:, ?[A-Z]\d+)*)\]/g))
        for (const number of numbers.split(/, ?/))
          claims.push({ number, place: place(source, node) });
    });
    return claims;
  });
}

/** The name a test is given, as far as it is written down there; parts that are computed are left out. */
function nameOf(call: Extract<Node, { type: "CallExpression" }>): string {
  const name = call.arguments[0];
  if (name?.type === "Literal" && typeof name.value === "string") return name.value;
  return name?.type === "TemplateLiteral"
    ? name.quasis.map(({ value }) => value.raw).join(" ")
    : "";
}

/** Promises without a test, promises made twice, and tests of a promise that nobody made. */
export function brokenPromises(promises: readonly Promised[], claims: readonly Claim[]): string[] {
  const made = promises.map(({ number }) => number);
  const proven = new Set(claims.map(({ number }) => number));
  return [
    ...promises
      .filter(({ number, toCome }) => !toCome && !proven.has(number))
      .map(({ number }) => `${number} has no test`),
    ...made
      .filter((number, index) => made.indexOf(number) < index)
      .map((number) => `${number} is promised twice`),
    ...claims
      .filter(({ number }) => !made.includes(number))
      .map(({ number, place: where }) => `${where} proves ${number}, which is not promised`),
  ];
}
