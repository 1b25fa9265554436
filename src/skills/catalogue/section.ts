import { entryText, escaped, oneLine } from "../../context/entries.ts";
import { element, type Section, type SectionEntry } from "../../context/sections.ts";
import type { Catalogue, CatalogueSkill } from "./catalogue.ts";

const NAME = "available_skills";

const GUIDANCE = `Skills are instructions for kinds of work. Scan this list before you act: when one fits the task, load it with load_skill_through_path (its skill-id, path SKILL.md) and follow it.
Load the files it names with the same tool. The list only says what there is.`;

const unlistedText = (count: number): string =>
  `${count} more are not listed: call load_skill_through_path with words of what you need as skillId, and it suggests some.`;

/** A description is shortened to so many characters, not further, as long as there are skills that can be left out instead. */
const SHORTEST = 80;
/** No description has more, however much room there is. */
const LONGEST = 1_200;

/** A skill with what it costs in the prompt, in characters. */
type Item = {
  readonly skill: CatalogueSkill;
  /** On one line, at most 1,200 characters. */
  readonly description: string;
  readonly descriptionCost: number;
  /** Of all the rest, its line break included. */
  readonly cost: number;
};

/**
 * The list of skills as the prompt shows it, in at most `maxChars` characters, tags and indentation included; `null`: there
 * are none. Where they do not fit, all descriptions are shortened alike; where even that is too much, skills of lower layers
 * are left out before those of higher ones, and the text says how many. What all users of an agent have comes first.
 */
export function catalogueSection({ skills }: Catalogue, maxChars: number): Section | null {
  if (skills.length === 0) return null;
  const items = skills.map(itemOf).toSorted(byImportance);
  const frame = element(NAME, indented(GUIDANCE), "").length;
  const room = maxChars - frame;
  const least = (item: Item) => item.cost + Math.min(item.descriptionCost, SHORTEST);
  const all = sum(items, least) <= room;
  const space = all ? room : room - indented(`\n${unlistedText(items.length)}`).length;
  const listed = all ? items : fitting(items, space, least);
  const most = evenLength(listed, space - sum(listed, ({ cost }) => cost));
  const unlisted = items.length - listed.length;
  const isOwn = ({ source }: CatalogueSkill) => source.kind === "layer" && source.layer === "own";
  return {
    name: NAME,
    layer: skills.some(isOwn) ? "user" : "shared",
    text: unlisted === 0 ? GUIDANCE : `${GUIDANCE}\n${unlistedText(unlisted)}`,
    entries: listed
      .toSorted((a, b) => importance(b.skill) - importance(a.skill) || byName(a, b))
      .map(({ skill, description }) => entryOf(skill, shortened(description, most))),
    ...(unlisted === 0 ? {} : { unlisted }),
  };
}

const entryOf = ({ name, id }: CatalogueSkill, description: string): SectionEntry => ({
  tag: "skill",
  fields: [
    ["name", name],
    ["description", description],
    ["skill-id", id],
  ],
});

function itemOf(skill: CatalogueSkill): Item {
  const line = oneLine(skill.description);
  const description = shortened(line, LONGEST);
  return {
    skill,
    description,
    descriptionCost: escaped(description).length,
    cost: entryText(entryOf(skill, "")).length + 1,
  };
}

/** The layers from the caller's own to what the deployment began with. */
function importance({ source }: CatalogueSkill): number {
  if (source.kind === "repository") return 2;
  return { own: 0, shared: 1, template: 3 }[source.layer];
}

const byName = (a: Item, b: Item): number =>
  a.skill.name < b.skill.name ? -1 : a.skill.name > b.skill.name ? 1 : 0;

const byImportance = (a: Item, b: Item): number =>
  importance(a.skill) - importance(b.skill) || byName(a, b);

const sum = <Value>(values: readonly Value[], of: (value: Value) => number): number =>
  values.reduce((total, value) => total + of(value), 0);

/** Those that fit, the most important ones first; a large one does not keep out a smaller one. */
function fitting(items: readonly Item[], room: number, least: (item: Item) => number): Item[] {
  let left = room;
  return items.filter((item) => {
    const cost = least(item);
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}

/** The longest that descriptions may be so that all of them together take no more than `room`. */
function evenLength(items: readonly Item[], room: number): number {
  let left = room;
  const costs = items.map(({ descriptionCost }) => descriptionCost).toSorted((a, b) => a - b);
  for (const [at, cost] of costs.entries()) {
    const each = Math.floor(left / (costs.length - at));
    if (cost > each) return each;
    left -= cost;
  }
  return LONGEST;
}

const COSTS: Readonly<Record<string, number>> = { "&": 5, "<": 4, ">": 4 };

/** A line of which so much is kept that it costs at most `most` characters once it is escaped, at the end of a word if one is near. */
function shortened(line: string, most: number): string {
  if (line.length <= most && escaped(line).length <= most) return line;
  let cost = 1;
  let end = 0;
  for (const char of line) {
    cost += COSTS[char] ?? char.length;
    if (cost > most) break;
    end += char.length;
  }
  const word = line.lastIndexOf(" ", end);
  return `${line.slice(0, end - word <= 20 && word > 0 ? word : end).trimEnd()}…`;
}

const indented = (text: string): string => text.replaceAll("\n", "\n  ").replace(/^(?=.)/, "  ");
