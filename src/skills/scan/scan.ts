import type { ScanFinding, ScanReport, SkillFile, Verdict } from "../../shared/skill-facts.ts";
import { judgeBinary, textOfBytes } from "./binary.ts";
import { Lines, visible } from "./lines.ts";
import { findLongRun } from "./long-runs.ts";
import type { ScanRule } from "./rule.ts";
import { destructive } from "./rules/destructive.ts";
import { exfiltration } from "./rules/exfiltration.ts";
import { injection } from "./rules/injection.ts";
import { network } from "./rules/network.ts";
import { obfuscation } from "./rules/obfuscation.ts";
import { persistence } from "./rules/persistence.ts";
import { SearchedText } from "./searched-text.ts";
import { shellView } from "./shell-view.ts";
import { wordFilter } from "./word-filter.ts";

/** By category, and what is dangerous before what is not: a line has one finding of each category. */
const rules: readonly ScanRule[] = [
  ...exfiltration,
  ...injection,
  ...destructive,
  ...persistence,
  ...network,
  ...obfuscation,
];

const MAX_FINDINGS = 100;

/** In UTF-16 units, of all files together: more than a skill may have. What is beyond is not looked at, and said. */
const MAX_UNITS = 12 * 1024 * 1024;

const PROGRAM =
  /\.(?:sh|bash|zsh|ksh|fish|py|rb|pl|pm|php|js|mjs|cjs|jsx|ts|mts|cts|tsx|ps1|psm1|bat|cmd|vbs|lua|go|rs|c|cc|cpp|java|swift|r)$/i;

/**
 * Looks through all files of a skill for what harms whoever loads it: AgentScope's categories, rules of our own. Also in
 * what only looks like a picture, and in lines that are continued or quoted to hide a word. It finds what is written, not
 * what is meant: `safe` is no proof. Linear in the files, a mebibyte takes less than 100 ms.
 */
export function scanSkill(files: readonly SkillFile[]): ScanReport {
  const findings: ScanFinding[] = [];
  let left = MAX_UNITS;
  for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const { path, content, executable } = file;
    if ("bytes" in content) {
      const judged = judgeBinary(path, content.bytes, executable);
      if (judged) findings.push({ ...judged, ...CAUTION, path: visible(path), line: 1 });
    }
    const size = "text" in content ? content.text.length : content.bytes.byteLength;
    left -= size;
    if (left < 0) findings.push(notScanned(path, size));
    else
      findings.push(
        ...scanText(path, "text" in content ? content.text : textOfBytes(content.bytes)),
      );
  }
  return reportOf(findings);
}

const CAUTION = { category: "obfuscation", verdict: "caution" } as const;

const notScanned = (path: string, size: number): ScanFinding => ({
  ...CAUTION,
  rule: "not-scanned",
  path: visible(path),
  line: 1,
  excerpt: `${size} bytes`,
  why: "The skill is too large: this file was not looked at.",
});

function scanText(path: string, text: string | null): ScanFinding[] {
  if (text === null || text === "") return [];
  const view = shellView(text);
  const has = wordFilter(view.text);
  const isProgram = PROGRAM.test(path) || text.startsWith("#!");
  const viewLines = new Lines(view.text);
  const searched = new SearchedText(view.text, viewLines);
  const lines = new Lines(text);
  const findings: ScanFinding[] = [];
  const seen = new Set<string>();
  const add = ({ rule, category, verdict, why }: Found, at: number) => {
    const key = `${category} ${viewLines.lineAt(at)}`;
    if (seen.has(key)) return;
    seen.add(key);
    const place = view.placeOf(at);
    const shown = { path: visible(path), line: lines.lineAt(place) + 1 };
    findings.push({ rule, category, verdict, ...shown, excerpt: lines.excerpt(place), why });
  };
  for (const rule of rules) {
    if (rule.onlyPrograms === true && !isProgram) continue;
    if (!rule.words.every((words) => words.some(has))) continue;
    for (const at of searched.placesOf(rule)) add(rule, at);
  }
  if (view.isCut) add(TOO_HIDDEN, 0);
  const run = isProgram ? findLongRun(view.text) : null;
  if (run !== null) add(LONG_RUN, run);
  return findings;
}

type Found = Pick<ScanFinding, "rule" | "category" | "verdict" | "why">;

const TOO_HIDDEN = {
  ...CAUTION,
  rule: "not-scanned",
  why: "It has too many quotes within words: not all of it could be read as a shell does.",
} as const;

const LONG_RUN = {
  ...CAUTION,
  rule: "long-data",
  why: "It has a long text in it that cannot be read.",
} as const;

/** The dangerous ones first, so that they are among those that are listed. */
function reportOf(findings: readonly ScanFinding[]): ScanReport {
  const isDangerous = ({ verdict }: ScanFinding): boolean => verdict === "dangerous";
  const sorted = findings.toSorted(
    (a, b) =>
      Number(isDangerous(b)) - Number(isDangerous(a)) ||
      (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1),
  );
  const rest: Verdict = sorted.length > 0 ? "caution" : "safe";
  return {
    verdict: sorted.some(isDangerous) ? "dangerous" : rest,
    findings: sorted.slice(0, MAX_FINDINGS),
  };
}
