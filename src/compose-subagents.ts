import type { AgentDefinition } from "./define-agent.ts";
import type { Section } from "./context/sections.ts";
import type { Declaration, Role } from "./shared/subagents.ts";
import { CarrelError } from "./shared/errors.ts";
import { askedAs } from "./shared/subagents.ts";
import { scanSkill } from "./skills/scan/scan.ts";
import { createSubagents } from "./subagents/capability.ts";
import {
  generalPurpose,
  Rosters,
  subagentsSection,
  type Roster,
  type RosterParts,
} from "./subagents/catalogue.ts";
import { declared } from "./subagents/parse-declaration.ts";
import { defaultSubagents } from "./subagents/tools/parts.ts";
import type { Snapshot } from "./shared/workspace-snapshot.ts";
import type { Capability, SameTools, SnapshotWants } from "./turn/capability.ts";
import type { Harness } from "./turn/harness.ts";
import { workspaceWithin } from "./workspace/within-directory.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** Those of an agent's code, with the one that is always there unless it is switched off. */
export const subagentsOf = ({
  subagents = [],
  disableGeneralPurpose,
}: AgentDefinition): readonly Declaration[] => [
  ...(disableGeneralPurpose === true ? [] : [generalPurpose]),
  ...subagents.map(declared),
];

const rosterParts = (definition: AgentDefinition): RosterParts => ({
  builtIn: subagentsOf(definition),
  isDynamic: definition.disableDynamicSubagents !== true,
});

/** The subagents of an agent as a doctor looks at them. */
export type SubagentsPatient = {
  readonly wants: SnapshotWants;
  readonly of: (
    workspace: Workspace,
    snapshot: Snapshot | null,
  ) => Promise<{ readonly roster: Roster; readonly section: Section | null }>;
};

/** What doctors say of an agent's subagents; `null` with `disableSubagents`. Makes no call. */
export function subagentsPatient(definition: AgentDefinition): SubagentsPatient | null {
  if (definition.disableSubagents === true) return null;
  const rosters = new Rosters(rosterParts(definition));
  return {
    wants: rosters.wants,
    async of(workspace, snapshot) {
      const roster = await rosters.of(workspace, snapshot);
      return { roster, section: subagentsSection(roster) };
    },
  };
}

/** Subagents as an agent's turns have them; `null` where they are switched off. Makes no call. */
export function composeSubagents(definition: AgentDefinition): SameTools | null {
  if (definition.disableSubagents === true) return null;
  return createSubagents({
    ...rosterParts(definition),
    options: { ...defaultSubagents, ...definition.subagentLimits },
    ...(definition.enableAgentGenerateTool === true ? { review: dangersIn } : {}),
  });
}

/** What a skill with that text would be refused for, in a line each. */
const dangersIn = (text: string): readonly string[] =>
  scanSkill([{ path: "SKILL.md", content: { text }, executable: false }]).findings.flatMap(
    ({ verdict, category, why }) => (verdict === "dangerous" ? [`${category}: ${why}`] : []),
  );

/** What every subagent is told of what it is. */
const CONTEXT = `You are a subagent: you were spawned for one task, by another agent, and exist only for it.
Stay on that task. You see nothing of the conversation that it comes from; what you need to know is in the task.
Your last message is all that the one who asked receives: say in it what came of the task, what you did, and what they should
know, such as files that you wrote and what you could not do. Read what is long or was cut in parts.`;

/** A subagent as an agent of its own: what its parent is, narrowed by its declaration. It spawns no others. */
export function childDefinition(
  parent: AgentDefinition,
  declaration: Declaration,
): AgentDefinition {
  const { id, body, model, steps, skills, workspace } = declaration;
  const isShared = workspace.mode === "shared";
  const isVisible = parent.skills?.isVisible ?? null;
  const only = new Set(skills ?? []);
  const own = model ?? parent.model;
  // What goes on in the background is told in a turn of its own, which nobody waits for here.
  const { asyncToolTimeoutMs: _, ...inherited } = parent;
  return {
    ...inherited,
    name: id,
    systemPrompt: body === "" ? CONTEXT : `${body}\n\n${CONTEXT}`,
    ...(own === undefined ? {} : { model: own }),
    limits: { ...parent.limits, maxIters: steps },
    ...(skills === null
      ? {}
      : {
          skills: {
            ...parent.skills,
            isVisible: async (skill, viewer) =>
              only.has(skill.name) && ((await isVisible?.(skill, viewer)) ?? true),
          },
        }),
    disableSubagents: true,
    // What it is told and finds out is its parent's to remember.
    disableMemoryHooks: true,
    disableMemoryTools: !isShared || parent.disableMemoryTools === true,
    disableWorkspaceContext: !isShared || parent.disableWorkspaceContext === true,
    disableAtPathExpansion: true,
    disableTranscript: true,
    enableSkillManageTool: false,
    enableSkillCurator: false,
  };
}

/** Where a subagent's own files are; `null`: it has those of its parent. */
export const directoryOf = ({ id, workspace }: Declaration): string | null =>
  workspace.mode === "shared" ? null : (workspace.path ?? `agents/${id}/workspace`);

/** The files that a subagent sees, of all that its parent has. */
export function childWorkspace(whole: Workspace, declaration: Declaration): Workspace {
  const directory = directoryOf(declaration);
  return directory === null ? whole : workspaceWithin(whole, directory);
}

/** The same capability with no other tools than these. */
export function narrowed(capability: Capability, tools: readonly string[] | null): Capability {
  const offered = capability.tools?.bind(capability);
  if (tools === null || !offered) return capability;
  return {
    ...capability,
    tools: async (scope) => (await offered(scope)).filter(({ name }) => tools.includes(name)),
  };
}

/** What a declaration has its model do, and what the directory that it names has it read. */
export function childCapabilities({ declaration }: Role, whole: () => Workspace): Capability[] {
  const { temperature, topP, workspace } = declaration;
  const { path } = workspace;
  const sampling = {
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { topP }),
  };
  return [
    ...(Object.keys(sampling).length === 0
      ? []
      : [
          {
            name: "sampling",
            wrapModelCall: (_scope, request, next) => next({ ...request, sampling }),
          } satisfies Capability,
        ]),
    ...(path === null
      ? []
      : [
          { name: "subagent-prompt", sections: () => promptIn(whole(), path) } satisfies Capability,
        ]),
  ];
}

/** AGENTS.md of a directory, as a section; none where there is no such file. */
async function promptIn(whole: Workspace, directory: string): Promise<readonly Section[]> {
  try {
    const { content } = await whole.read({ path: `${directory}/AGENTS.md` });
    if (!("text" in content)) return [];
    return [{ name: "subagent_instructions", layer: "user", text: content.text }];
  } catch (error) {
    if (error instanceof CarrelError && error.code === "not_found") return [];
    throw error;
  }
}

/** Who is told of a subagent's questions hears of them as of its parent's session, where they are answered. */
export function childNotify(notify: Harness["notify"], { parent }: Role): Harness["notify"] {
  if (!notify) return null;
  return ({ calls, address, ...notice }) =>
    notify({
      ...notice,
      address: parent,
      calls: calls.map((one) => ({ ...one, call: askedAs(address.session, one.call) })),
    });
}
