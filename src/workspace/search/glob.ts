import { invalid } from "../../shared/errors.ts";
import { anything, isSlash, parseGlob } from "./glob-pattern.ts";
import type { GlobPiece } from "./glob-pattern.ts";

/** Longest pattern, in UTF-16 units. */
const MAX_PATTERN = 256;

/**
 * Tells which canonical paths a glob means:
 * - `*` any run of characters in one name, `?` one, `[a-z]` and `[!a-z]` one of a set; never a slash. Names that
 *   begin with a dot are names like any other.
 * - `**` any run of characters with slashes; as a whole name before a slash, any number of directories, also none.
 * - `{a,b}` either; may hold anything, also braces. `\` takes the meaning from the next character.
 * - A pattern matches at any depth (`x.md` finds `a/x.md`), unless it begins with `/` or `./`. With `/` at its end
 *   it means all below that directory.
 *
 * Time grows with pattern times path and never worse (Thompson 1968). Throws `CarrelError('invalid')` for an empty
 * pattern, one longer than 256 characters, and one that leaves a bracket, brace or backslash open.
 */
export function compileGlob(pattern: string): (path: string) => boolean {
  if (pattern === "") throw invalid("The pattern is empty. To match every file, write **.");
  if (pattern.length > MAX_PATTERN)
    throw invalid(`A pattern must not be longer than ${MAX_PATTERN} characters.`);
  const isRooted = /^\.?\//.test(pattern);
  const pieces: GlobPiece[] = isRooted ? [] : [{ kind: "directories" }];
  pieces.push(...parseGlob(pattern.replace(/^\.?\//, "")));
  if (pattern.endsWith("/")) pieces.push({ kind: "run", accepts: anything });
  const program: Instruction[] = [];
  emit(program, pieces);
  return (path) => run(program, path);
}

/** `fork` goes on at each of several later places without reading. */
type Instruction =
  | Extract<GlobPiece, { readonly kind: "one" | "run" }>
  | { readonly kind: "fork"; readonly to: number[] };

function emit(program: Instruction[], pieces: readonly GlobPiece[]): void {
  for (const piece of pieces) {
    if (piece.kind === "directories") {
      program.push({ kind: "fork", to: [program.length + 1, program.length + 3] });
      program.push({ kind: "run", accepts: anything }, { kind: "one", accepts: isSlash });
    } else if (piece.kind === "either") emitEither(program, piece.options);
    else program.push(piece);
  }
}

function emitEither(program: Instruction[], options: readonly (readonly GlobPiece[])[]): void {
  const starts: number[] = [];
  const ends: number[][] = [];
  program.push({ kind: "fork", to: starts });
  for (const option of options) {
    starts.push(program.length);
    emit(program, option);
    const end: number[] = [];
    program.push({ kind: "fork", to: end });
    ends.push(end);
  }
  for (const end of ends) end.push(program.length);
}

/**
 * Follows all ways through the program at once, so each instruction looks at each character at most once. Ways
 * only lead onward, so one pass over the marks in order finds all that is reached without reading.
 */
function run(program: readonly Instruction[], path: string): boolean {
  let marks = new Uint8Array(program.length + 1);
  let next = new Uint8Array(program.length + 1);
  marks[0] = 1;
  for (const char of path) {
    next.fill(0);
    advance(program, marks, next, char);
    [marks, next] = [next, marks];
  }
  advance(program, marks, next, null);
  return marks[program.length] === 1;
}

/** Marks what is reached from `marks` without reading, and in `next` what is reached by reading `char`. */
function advance(
  program: readonly Instruction[],
  marks: Uint8Array,
  next: Uint8Array,
  char: string | null,
): void {
  for (let at = 0; at < program.length; at += 1) {
    const instruction = marks[at] === 1 ? program[at] : undefined;
    if (!instruction) continue;
    if (instruction.kind === "fork") for (const to of instruction.to) marks[to] = 1;
    else {
      const isRun = instruction.kind === "run";
      if (isRun) marks[at + 1] = 1;
      if (char !== null && instruction.accepts(char)) next[isRun ? at : at + 1] = 1;
    }
  }
}
