import type { CuratorOptions, SkillCluster, Transition } from "../../../shared/skill-upkeep.ts";
import { isoOf } from "../record-file.ts";
import { activeAt, changedAt, dayOf, expiresAt, isCurated, spellTime, stateOf } from "./judge.ts";
import type { Standing } from "./standing.ts";

/** What a report tells. `standing`: once what was done is done. */
export type Told = {
  readonly at: number;
  readonly isFirst: boolean;
  readonly options: CuratorOptions;
  /** What was done; by a first run, what would be. */
  readonly transitions: readonly Transition[];
  /** How much more is to be done than fits into one run. */
  readonly more: number;
  readonly standing: Standing;
  readonly clusters: readonly SkillCluster[];
};

const MOST_LINES = 200;

/** In one line: `1 archived, 2 stale, 0 active again, 0 drafts expired`. */
export function summaryOf({ isFirst, transitions }: Pick<Told, "isFirst" | "transitions">): string {
  const count = (is: (one: Transition) => boolean) => transitions.filter(is).length;
  const counts = [
    `${count(({ from, to }) => to === "archived" && from !== "draft")} archived`,
    `${count(({ to }) => to === "stale")} stale`,
    `${count(({ to }) => to === "active")} active again`,
    `${count(({ from }) => from === "draft")} drafts expired`,
  ].join(", ");
  return isFirst ? `Only looked: it would have been ${counts}.` : `${counts}.`;
}

/** REPORT.md as a person reads it. */
export function reportOf(told: Told): string {
  const { at, isFirst, options, transitions, more, standing, clusters } = told;
  const { skills, drafts, unclear } = standing;
  const stale = skills.filter((skill) => isCurated(skill) && stateOf(skill) === "stale");
  const pinned = skills.filter(({ usage }) => usage.pinned);
  const what = isFirst
    ? "Nothing was changed: the first run only says what it would do. Pin what is to stay as it is."
    : "Nothing was deleted: what is in the archive can be restored with all its files.";
  const sections = [
    listed(isFirst ? "What would be done" : "What was done", transitions.map(transitionLine), {
      none: "Nothing.",
      more,
    }),
    listed(
      "Stale",
      stale.map((skill) => {
        const idle = activeAt(skill);
        return `${code(skill.name)}: not used since ${dayOf(idle)}; to be archived from ${dayOf(idle + options.archiveAfterMs)} on`;
      }),
    ),
    listed(
      "Pinned, so left alone",
      pinned.map(({ name }) => code(name)),
    ),
    listed(
      "Drafts that wait for a decision",
      drafts.map((draft) => {
        return `${code(draft.name)}: changed on ${dayOf(changedAt(draft))}; to be put away from ${dayOf(expiresAt(draft, options))} on`;
      }),
    ),
    listed(
      "Left alone, since two directories have this name",
      unclear.map((name) => code(name)),
    ),
    listed(
      "Names that begin alike",
      clusters.map(({ prefix, names }) => `${code(prefix)}: ${names.map(code).join(", ")}`),
      { note: "A person may want to make one skill of some of them. The curator never does." },
    ),
  ];
  const rules = `It looks at skills that the agent made and nobody has pinned: unused for ${spellTime(options.staleAfterMs)} they are stale, for ${spellTime(options.archiveAfterMs)} they are archived. A draft that nobody decides about for ${spellTime(options.draftExpiresMs)} is put away, too.`;
  return `# Curator, ${isoOf(at).slice(0, 16).replace("T", " ")} UTC\n\n${summaryOf(told)} ${what}\n\n${rules}\n${sections.join("")}`;
}

const transitionLine = ({ name, from, to, why }: Transition): string =>
  `${code(name)}: ${from} -> ${to}. ${why}`;

type Around = { readonly none?: string; readonly note?: string; readonly more?: number };

function listed(title: string, lines: readonly string[], { none, note, more = 0 }: Around = {}) {
  if (lines.length === 0 && none === undefined) return "";
  const shown = lines.slice(0, MOST_LINES);
  const hidden = lines.length - shown.length + more;
  const items = shown.map((line) => `- ${line}\n`).join("");
  const said = items === "" ? `${none ?? ""}\n` : items;
  const rest = hidden > 0 ? `\nAnd ${hidden} more.\n` : "";
  return `\n## ${title}\n\n${note === undefined ? "" : `${note}\n\n`}${said}${rest}`;
}

/** A name as it is, whatever Markdown would make of it. */
const code = (name: string): string => `\`${name.replaceAll("`", "'")}\``;
