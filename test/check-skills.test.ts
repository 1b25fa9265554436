import { describe, expect, it } from "vitest";
import { checkDefinition } from "../src/check-definition.ts";
import type { AgentDefinition } from "../src/define-agent.ts";
import { bundledSkills } from "../src/skills/repositories/bundled-skills.ts";
import { currentTime } from "../src/tools/current-time.ts";

type Options = Omit<AgentDefinition, "id">;

const check = (options: Options) => () => checkDefinition({ id: "main", ...options });
/** Whatever its label, as one of somebody's own may be. */
const house = (label: string) => ({ ...bundledSkills({ label: "house", files: {} }), label });
const tool = (name: string) => ({ ...currentTime, name });
const group = (name: string, tools = [tool(`${name}_tool`)], skills = ["pdf"]) => ({
  name,
  tools,
  skills,
});
const DAY_MS = 86_400_000;

describe("options about skills", () => {
  it("are taken where they can work", () => {
    const skills = {
      filter: { only: ["pdf"] },
      environment: "stage",
      environments: [],
      canaryPercent: 0,
      catalogueChars: 500,
      curator: { staleAfterMs: DAY_MS, archiveAfterMs: DAY_MS },
      mergeModel: "openai:small",
    } as const;
    const skillRepositories = [house("house"), house("attic")];
    const toolGroups = [group("a"), group("b")];
    expect(check({ skills, skillRepositories, toolGroups })).not.toThrow();
    expect(check({ disableSkills: true, enableSkillManageTool: true })).not.toThrow();
  });

  it.each<[string, Options, RegExp]>([
    ["a misspelt one", { skills: { filtre: "all" } as never }, /no option skills\.filtre/],
    ["a filter of no kind", { skills: { filter: "some" as never } }, /skills\.filter is "some"/],
    ["a filter of two kinds", { skills: { filter: { only: [], except: [] } } }, /skills\.filter/],
    ["too high a share", { skills: { canaryPercent: 101 } }, /canaryPercent is 101/],
    ["too short a list", { skills: { catalogueChars: 10 } }, /catalogueChars is 10/],
    ["no environment", { skills: { environment: "" } }, /has the environment ""/],
    [
      "archiving before it is stale",
      { skills: { curator: { archiveAfterMs: 10 * DAY_MS } } },
      /archiveAfterMs must not be shorter/,
    ],
    ["a model of nobody", { skills: { mergeModel: "acme:big" } }, /skills\.mergeModel: .*acme/],
    ["a layer's label", { skillRepositories: [house("own")] }, /has the label "own"/],
    ["a label twice", { skillRepositories: [house("a"), house("a")] }, /have the label a/],
    ["a group twice", { toolGroups: [group("a"), group("a", [tool("x")])] }, /has the name "a"/],
    ["a tool in two groups", { toolGroups: [group("a"), group("b", [tool("a_tool")])] }, /a_tool/],
    ["a built-in tool", { toolGroups: [group("a", [tool("read_file")])] }, /read_file/],
    ["an own tool", { tools: [tool("x")], toolGroups: [group("a", [tool("x")])] }, /the tool x/],
    ["a group without tools", { toolGroups: [group("a", [])] }, /has no tools/],
    ["a group without skills", { toolGroups: [group("a", [tool("x")], [])] }, /has no skills/],
    [
      "groups without skills at all",
      { toolGroups: [group("a")], disableSkills: true },
      /needs skills/,
    ],
  ])("refuses %s, and says what to change", (_, options, message) => {
    expect(check(options)).toThrow(message);
  });
});
