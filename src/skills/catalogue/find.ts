import { likenessTo } from "../../workspace/layers/nearest.ts";
import { queryWords, textWords } from "../../workspace/index/words.ts";
import type { Catalogue, CatalogueSkill } from "./catalogue.ts";
import { nameKey } from "./name-key.ts";

/**
 * The skill that an id or a name means; `null`: none. An id of another layer means the skill of its name, too: ids change
 * when a skill is overridden.
 */
export function findSkill({ skills }: Catalogue, idOrName: string): CatalogueSkill | null {
  const wanted = nameKey(idOrName);
  const byId = skills.find(({ id }) => nameKey(id) === wanted);
  const exact = byId ?? skills.find(({ name }) => nameKey(name) === wanted);
  if (exact) return exact;
  const begun = skills.filter(({ name }) => wanted.startsWith(`${nameKey(name)}_`));
  const [longest] = begun.toSorted((a, b) => b.name.length - a.name.length);
  return longest ?? null;
}

/** What of a question counts, in UTF-16 units. */
const MAX_QUERY = 1_000;
/** What of a description counts. */
const MAX_DESCRIPTION = 1_024;

/** A word of the name says more than one of the description. */
const NAME_WEIGHT = 3;
/** A name that is spelled like the question counts as much as a word of it, when it is at least so much like it. */
const LIKE = 0.4;

/** The skills that say most about these words, or whose names are spelled most like them, the best first. */
export function suggestSkills(
  { skills }: Catalogue,
  words: string,
  limit: number,
): readonly CatalogueSkill[] {
  const query = words.slice(0, MAX_QUERY);
  const asked = queryWords(query);
  const likeness = likenessTo(query);
  const texts = skills.map((skill) => ({
    skill,
    name: wordsIn(skill.name),
    description: wordsIn(skill.description.slice(0, MAX_DESCRIPTION)),
  }));
  const terms = [
    ...asked.words.map((word) => (having: Words) => having.has(word)),
    ...asked.beginnings.map((char) => (having: Words) => having.has(char) || begins(having, char)),
  ].map((isIn) => {
    const count = texts.filter(({ name, description }) => isIn(name) || isIn(description)).length;
    return { isIn, weight: Math.log(1 + texts.length / (1 + count)) };
  });
  const score = ({ skill, name, description }: (typeof texts)[number]): number => {
    const like = likeness(skill.name);
    const spelled = like >= LIKE ? like * NAME_WEIGHT : 0;
    return terms.reduce((sum, { isIn, weight }) => {
      const inName = isIn(name) ? NAME_WEIGHT : 0;
      return sum + weight * (inName + Number(isIn(description)));
    }, spelled);
  };
  return texts
    .map((text) => ({ skill: text.skill, score: score(text) }))
    .filter((scored) => scored.score > 0)
    .toSorted((a, b) => b.score - a.score || (a.skill.name < b.skill.name ? -1 : 1))
    .slice(0, limit)
    .map(({ skill }) => skill);
}

type Words = ReadonlySet<string>;

/** Every word, common ones and single characters, too. */
function wordsIn(text: string): Words {
  const { words, common } = textWords(text);
  return new Set([...words, ...common]);
}

const begins = (words: Words, beginning: string): boolean =>
  [...words].some((word) => word.startsWith(beginning));
