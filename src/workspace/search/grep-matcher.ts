import type { RE2JS } from "re2js";
import { invalid } from "../../shared/errors.ts";
import type { GrepRequest } from "../../shared/workspace-api.ts";

/** Tells which lines are hits. Case is folded character by character (Unicode's simple folding) in both kinds. */
export type GrepMatcher = {
  /** False when no line of this text can be a hit; cheap. */
  readonly mayMatch: (text: string) => boolean;
  readonly matches: (line: string) => boolean;
  /** Of a longer line only so much, in UTF-16 units, may be given to `matches` and `indexIn`: the rest is not searched. */
  readonly reach: number;
  /** Where a hit in a line that matches begins, in UTF-16 units; 0 where that would take too long to find. */
  readonly indexIn: (line: string) => number;
};

/** In UTF-16 units. */
const MAX_PATTERN = 1_000;

/** Instructions of a compiled expression: each may cost a step for each character. */
const MAX_PROGRAM = 500;

/** UTF-16 units of one line that an expression is looked for in. Literal text is found wherever it is. */
const REACH = 64 * 1024;

/** Steps for one line at most, of which each takes about 20 ns: a large expression reaches less far. */
const MAX_STEPS = 2_500_000;

/** Where a match begins costs many times what it costs to know that there is one, so that is only asked for so much. */
const WINDOW = 1024;
const OVERLAP = 256;

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
  const indexIn = (line: string): number => line.indexOf(pattern);
  return { mayMatch: matches, matches, reach: Infinity, indexIn };
}

/** The platform's own expressions fold case fastest, and one that is literal never backtracks. */
function foldingMatcher(pattern: string): GrepMatcher {
  const literal = new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "iu");
  const matches = (text: string): boolean => literal.test(text);
  const indexIn = (line: string): number => line.search(literal);
  return { mayMatch: matches, matches, reach: Infinity, indexIn };
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
    reach: Math.min(REACH, Math.floor(MAX_STEPS / expression.programSize())),
    indexIn: (line) => indexOf(expression, line),
  };
}

/** Looks through windows that overlap a little. What no window holds whole is shown from the line's beginning. */
function indexOf(expression: RE2JS, line: string): number {
  for (let at = 0; at < line.length; at += WINDOW - OVERLAP) {
    const window = line.slice(at, at + WINDOW);
    if (!expression.test(window)) continue;
    const matcher = expression.matcher(window);
    return matcher.find() ? at + matcher.start() : 0;
  }
  return 0;
}
