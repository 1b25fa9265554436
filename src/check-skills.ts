import type { AgentDefinition } from "./define-agent.ts";
import { skillsOf } from "./define-agent.ts";
import { specProblem } from "./model/choose.ts";
import { defaultCurator, defaultSkills, type SkillFilter } from "./skills/config.ts";
import { ownTools } from "./tools/own-tools.ts";

const DAY_MS = 86_400_000;
const CENTURY_MS = 36_500 * DAY_MS;
const MAX_REPOSITORIES = 20;
const MAX_GROUPS = 50;
const MAX_ENVIRONMENTS = 20;

const GROUP = /^[A-Za-z0-9_-]{1,64}$/;
const LABEL = /^[a-z0-9][a-z0-9.-]{0,63}$/;
const ENVIRONMENT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** The sources of ids that are layers. */
const LAYERS: readonly string[] = ["own", "shared", "template"];

type Check = {
  readonly names: (inside: string, given: object, known: object) => void;
  readonly number: (option: string, value: unknown, bounds: readonly [number, number]) => void;
};

/** Refuses options about skills that could not work as they read. Throws a plain `Error`. */
export function checkSkills(definition: AgentDefinition, check: Check): void {
  checkOptions(definition, check);
  checkRepositories(definition);
  checkGroups(definition);
}

function checkOptions(definition: AgentDefinition, { names, number }: Check): void {
  names("skills.", definition.skills ?? {}, defaultSkills);
  names("skills.curator.", definition.skills?.curator ?? {}, defaultCurator);
  const { filter, environment, environments, curator, ...skills } = skillsOf(definition);
  checkFilter(filter);
  number("skills.canaryPercent", skills.canaryPercent, [0, 100]);
  number("skills.catalogueChars", skills.catalogueChars, [500, 15_000]);
  if (environments.length > MAX_ENVIRONMENTS)
    throw new Error(`skills.environments has more than ${MAX_ENVIRONMENTS} names.`);
  for (const name of [environment, ...environments])
    if (!ENVIRONMENT.test(name))
      throw new Error(
        `skills has the environment ${JSON.stringify(name)}. Use letters, digits, ".", "_" and "-", at most 64.`,
      );
  number("skills.curator.intervalMs", curator.intervalMs, [3_600_000, CENTURY_MS]);
  for (const option of ["staleAfterMs", "archiveAfterMs", "draftExpiresMs"] as const)
    number(`skills.curator.${option}`, curator[option], [DAY_MS, CENTURY_MS]);
  if (curator.archiveAfterMs < curator.staleAfterMs)
    throw new Error("skills.curator.archiveAfterMs must not be shorter than staleAfterMs.");
  const { mergeModel } = skills;
  const problem = typeof mergeModel === "string" ? specProblem(mergeModel) : null;
  if (problem !== null) throw new Error(`skills.mergeModel: ${problem}`);
}

function checkFilter(filter: SkillFilter): void {
  if (filter === "all" || filter === "none") return;
  const lists = typeof filter === "object" && filter !== null ? Object.entries(filter) : [];
  const [list, other] = lists;
  const isList = list && ["only", "except"].includes(list[0]) && Array.isArray(list[1]);
  if (!isList || other)
    throw new Error(
      `skills.filter is ${JSON.stringify(filter)}. Use "all", "none", { only: ["pdf"] } or { except: ["pdf"] }.`,
    );
}

function checkRepositories({ skillRepositories = [] }: AgentDefinition): void {
  if (skillRepositories.length > MAX_REPOSITORIES)
    throw new Error(`skillRepositories has more than ${MAX_REPOSITORIES}.`);
  const labels = skillRepositories.map(({ label }) => label);
  const bad = labels.find((label) => !LABEL.test(label) || LAYERS.includes(label));
  if (bad !== undefined)
    throw new Error(
      `skillRepositories has the label ${JSON.stringify(bad)}. Use lower-case letters, digits, "." and "-", at most 64, and none of ${LAYERS.join(", ")}.`,
    );
  const twice = labels.find((label, at) => labels.indexOf(label) !== at);
  if (twice !== undefined)
    throw new Error(`Two of skillRepositories have the label ${twice}. Give one another label.`);
}

function checkGroups(definition: AgentDefinition): void {
  const { toolGroups = [], disableSkills } = definition;
  const ownNames = (definition.tools ?? []).map(({ name }) => name);
  if (toolGroups.length > MAX_GROUPS)
    throw new Error(`toolGroups has more than ${MAX_GROUPS} groups.`);
  if (toolGroups.length > 0 && disableSkills === true)
    throw new Error("toolGroups needs skills, which disableSkills switches off.");
  const names = toolGroups.map(({ name }) => name);
  const bad = names.find((name, at) => !GROUP.test(name) || names.indexOf(name) !== at);
  if (bad !== undefined)
    throw new Error(
      `toolGroups has the name ${JSON.stringify(bad)}. Use each name once: letters, digits, "_" and "-", at most 64.`,
    );
  const tools = toolGroups.flatMap((group) => group.tools.map(({ name }) => name));
  const taken = tools.find(
    (name, at) =>
      tools.indexOf(name) !== at ||
      ownNames.includes(name) ||
      [...ownTools, "load_skill_through_path"].includes(name),
  );
  if (taken !== undefined)
    throw new Error(
      `toolGroups has the tool ${taken} twice, or a built-in or own tool has that name. Give it another one.`,
    );
  const idle = toolGroups.find(({ skills, tools }) => skills.length === 0 || tools.length === 0);
  if (idle)
    throw new Error(
      `The tool group ${idle.name} has no ${idle.tools.length === 0 ? "tools" : "skills"}.`,
    );
}
