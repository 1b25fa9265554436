import type { Rule } from "../shared/permissions.ts";
import { isForTool, narrowingOf } from "./compile-rule.ts";
import { isSurelyOf, mayBeOf } from "./origin-rule.ts";
import {
  leadsTo,
  mayReachBelow,
  meansAllBelow,
  meansPath,
  reachesPath,
  type PathPattern,
} from "./path-pattern.ts";
import type { SeenPath } from "./path-spelling.ts";
import type { SeenCall } from "./seen-call.ts";
import { coversLine, mayRun } from "./shell/command-rule.ts";
import { fits } from "./wildcard.ts";

/**
 * Whether an allow rule is for the call: everything of its kind that the call is about matches, there is something, and
 * nothing about it could be understood in two ways.
 */
export function covers(rule: Rule, call: SeenCall): boolean {
  if (!isForTool(rule, call.tool)) return false;
  const narrowing = narrowingOf(rule);
  const { named } = call;
  switch (narrowing.kind) {
    case "none":
      return true;
    case "broken":
      return false;
    case "path": {
      const { pattern } = narrowing;
      const all = [
        ...call.paths.map((path) => isMeant(pattern, path)),
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

/** Whether a deny or ask rule is for the call: anything in it may match, in any way in which it may be understood. */
export function touches(rule: Rule, call: SeenCall): boolean {
  if (!isForTool(rule, call.tool)) return false;
  const narrowing = narrowingOf(rule);
  switch (narrowing.kind) {
    case "none":
    case "broken":
      return true;
    case "path": {
      const { pattern } = narrowing;
      return (
        call.paths.some((path) => mayBeMeant(pattern, path, !call.isDeclared)) ||
        call.within.some((path) => mayHold(pattern, path)) ||
        call.otherPaths.some((path) => path.spellings.some((names) => reachesPath(pattern, names)))
      );
    }
    case "command":
      return call.allLines.some(({ line, isCommand }) =>
        mayRun(narrowing.pattern, line, isCommand),
      );
    case "origin":
      return call.urlTexts.some((text) => mayBeOf(narrowing.pattern, text));
    case "argument":
      return call.argument(narrowing.name).texts.some(({ text }) => fits(narrowing.value, text));
  }
}

const isMeant = (pattern: PathPattern, path: SeenPath | null): boolean =>
  path !== null &&
  path.isPlain &&
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
