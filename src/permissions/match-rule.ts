import type { Rule } from "../shared/permissions.ts";
import { isForTool, type Narrowing, narrowingOf } from "./compile-rule.ts";
import { isOf, isSurelyOf } from "./origin-rule.ts";
import {
  leadsTo,
  mayReachBelow,
  mayReachPath,
  meansAllBelow,
  meansPath,
  reachesPath,
  type PathPattern,
} from "./path-pattern.ts";
import type { SeenPath } from "./path-spelling.ts";
import type { Readings, SeenCall } from "./seen-call.ts";
import { coversLine, mayRun } from "./shell/command-rule.ts";
import { fits } from "./wildcard.ts";

/**
 * Whether an allow rule is for the call: everything of its kind that the call is about matches in each of its readings,
 * there is something, and nothing about it could be understood in two ways.
 */
export function covers(rule: Rule, readings: Readings): boolean {
  if (!isForTool(rule, readings[0].tool)) return false;
  const narrowing = narrowingOf(rule);
  return readingsFor(narrowing, readings).every((call) => isCovered(narrowing, call));
}

/** Whether a deny or ask rule is for the call: anything in it may match, in any way in which it may be understood. */
export function touches(rule: Rule, readings: Readings): boolean {
  if (!isForTool(rule, readings[0].tool)) return false;
  const narrowing = narrowingOf(looselyWritten(rule));
  return readingsFor(narrowing, readings).some((call) => isTouched(narrowing, call));
}

/** What a tool says of a call is the same in all of its readings. */
const readingsFor = ({ kind }: Narrowing, readings: Readings): readonly SeenCall[] =>
  readings[0].isDeclared && kind !== "argument" ? [readings[0]] : readings;

/** Paths are compared in their composed form too. */
const looselyWritten = (rule: Rule): Rule =>
  rule.path === undefined ? rule : { ...rule, path: rule.path.normalize("NFC") };

function isCovered(narrowing: Narrowing, call: SeenCall): boolean {
  const { named } = call;
  switch (narrowing.kind) {
    case "none":
      return true;
    case "broken":
      return false;
    case "path": {
      const { pattern } = narrowing;
      const all = [
        ...call.paths.map((path) => isMeant(pattern, path, call.isDeclared)),
        ...call.within.map((path) => isMeantWhole(pattern, path)),
      ];
      return named.isCertain && all.length > 0 && all.every(Boolean);
    }
    case "command":
      return (
        named.isCertain &&
        call.lines.length > 0 &&
        call.lines.every((line) => coversLine(narrowing.pattern, line))
      );
    case "origin":
      return (
        named.isCertain &&
        named.urls.length > 0 &&
        named.urls.every((url) => isSurelyOf(narrowing.pattern, url))
      );
    case "argument": {
      const { texts, isCertain } = call.argument(narrowing.name);
      return (
        isCertain && texts.length > 0 && texts.every(({ text }) => fits(narrowing.value, text))
      );
    }
  }
}

function isTouched(narrowing: Narrowing, call: SeenCall): boolean {
  switch (narrowing.kind) {
    case "none":
    case "broken":
      return true;
    case "path":
      return mayTouch(narrowing.pattern, call);
    case "command":
      return call.allLines.some(({ line, isCommand }) =>
        mayRun(narrowing.pattern, line, isCommand),
      );
    case "origin":
      return call.origins.some((origin) => isOf(narrowing.pattern, origin));
    case "argument":
      return call.argument(narrowing.name).texts.some(({ text }) => fits(narrowing.value, text));
  }
}

/** More comparisons of a name with a part of one rule than this are not made: the rule is for the call. */
const MAX_COMPARISONS = 200_000;

/** The same of a character of a pattern with one of a rule. */
const MAX_MEETINGS = 200_000;

function mayTouch(pattern: PathPattern, call: SeenCall): boolean {
  const { paths, within, otherPaths, globs } = call;
  if (call.countNames * pattern.segments > MAX_COMPARISONS) return true;
  if (call.countPieces * pattern.pieces > MAX_MEETINGS) return true;
  return (
    paths.some((path) => mayBeMeant(pattern, path, !call.isDeclared)) ||
    within.some((path) => mayHold(pattern, path)) ||
    otherPaths.some((path) => path.spellings.some((names) => reachesPath(pattern, names))) ||
    globs.some((names) => mayReachPath(pattern, names))
  );
}

/** Where nobody says where a tool's paths begin, one from the root of a machine is another than one from where it works. */
const isMeant = (pattern: PathPattern, path: SeenPath | null, isDeclared: boolean): boolean =>
  path !== null &&
  path.isPlain &&
  (isDeclared || path.isAbsolute === pattern.isAbsolute) &&
  path.spellings.every(
    (names) => meansPath(pattern, names) && (!path.isTree || meansAllBelow(pattern, names)),
  );

const isMeantWhole = (pattern: PathPattern, path: SeenPath | null): boolean =>
  path !== null && path.isPlain && path.spellings.every((names) => meansAllBelow(pattern, names));

/** Without a tool's word every path may be a directory. */
const mayBeMeant = (pattern: PathPattern, path: SeenPath | null, mayBeTree: boolean): boolean =>
  path === null ||
  path.spellings.some(
    (names) =>
      reachesPath(pattern, names) || ((path.isTree || mayBeTree) && leadsTo(pattern, names)),
  );

const mayHold = (pattern: PathPattern, path: SeenPath | null): boolean =>
  path === null || path.spellings.some((names) => mayReachBelow(pattern, names));
