import type { RE2JS } from "re2js";
import { invalid } from "../shared/errors.ts";
import type { GrepRequest } from "../shared/workspace-api.ts";

/** Tells which lines are hits. Case is folded character by character (Unicode's simple folding) in both kinds. */
export type GrepMatcher = {
  /** False when no line of this text can be a hit; cheap. */
  readonly mayMatch: (text: string) => boolean;
  readonly matches: (line: string) => boolean;
  /** Where the first hit in a line that matches begins, in UTF-16 units. */
  readonly indexIn: (line: string) => number;
};

/** In UTF-16 units. */
const MAX_PATTERN = 1_000;

/** Instructions of a compiled expression: each may cost a step for each character. */
const MAX_PROGRAM = 500;

/** What the compiler of expressions objects to, in words that help to mend it. */
const REASONS: Readonly<Record<string, string>> = {
  "invalid character class range": "a set such as [a-z] has a range or a name that does not exist",
  "invalid escape sequence":
    "a backslash stands before a character that it has no meaning with; there are no backreferences",
  "invalid named capture": "a named group must be written (?P<name>…), and there is no lookbehind",
  "duplicate capture group name": "two groups have the same name",
  "invalid or unsupported Perl syntax": "lookahead and other extensions do not exist here",
  "invalid nested repetition operator": "a repetition such as * or {2} follows another one",
  "invalid repeat count": "a count in braces is not in order or repeats more than 1,000 times",
  "missing argument to repetition operator": "a repetition such as * or + has nothing before it",
  "missing closing ]": "a [ is not closed",
  "missing closing )": "a ( is not closed",
  "unexpected )": "a ) closes nothing",
  "trailing backslash at end of expression": "it ends with a backslash",
  "expression nests too deeply": "it nests too deeply",
  "expression too large": "it is too large",
};

/**
 * What to look for. Throws `CarrelError('invalid')` for an empty pattern, one of more than 1,000 characters or of
 * more than one line, and for an expression that is not RE2's syntax or too large.
 */
export async function createMatcher(
  request: Pick<GrepRequest, "pattern" | "regex" | "caseSensitive">,
): Promise<GrepMatcher> {
  const { pattern, regex = false, caseSensitive = true } = request;
  if (pattern === "") throw invalid("The pattern is empty. Say what to search for.");
  if (pattern.length > MAX_PATTERN)
    throw invalid(`A pattern must not be longer than ${MAX_PATTERN} characters.`);
  if (/[\r\n]/.test(pattern))
    throw invalid("The search goes line by line: a pattern must not hold a line break.");
  if (regex) return regexMatcher(pattern, caseSensitive);
  return caseSensitive ? exactMatcher(pattern) : foldingMatcher(pattern);
}

function exactMatcher(pattern: string): GrepMatcher {
  const matches = (text: string): boolean => text.includes(pattern);
  return { mayMatch: matches, matches, indexIn: (line) => line.indexOf(pattern) };
}

/** The platform's own expressions fold case fastest, and one that is literal never backtracks. */
function foldingMatcher(pattern: string): GrepMatcher {
  const literal = new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "iu");
  const matches = (text: string): boolean => literal.test(text);
  return { mayMatch: matches, matches, indexIn: (line) => line.search(literal) };
}

/** Loaded when it is first needed: most objects never search by expression. */
async function regexMatcher(pattern: string, caseSensitive: boolean): Promise<GrepMatcher> {
  const { RE2JS, RE2JSException, RE2JSSyntaxException } = await import("re2js");
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(pattern, caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const code = error instanceof RE2JSSyntaxException ? error.getDescription() : "";
    const reason = REASONS[code] ?? "it is not an expression in RE2's syntax";
    throw invalid(
      `The expression cannot be used: ${reason}. To find it literally, leave regex out.`,
    );
  }
  if (expression.programSize() > MAX_PROGRAM)
    throw invalid("The expression is too large. Use smaller counts in braces or fewer choices.");
  return {
    mayMatch: () => true,
    matches: (line) => expression.test(line),
    indexIn(line) {
      const matcher = expression.matcher(line);
      return matcher.find() ? matcher.start() : 0;
    },
  };
}
