import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createFileTools } from "../../../src/tools/files/file-tools.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { barePrompt } from "../../support/bare-prompt.ts";
import { SessionLab } from "../../turn/session-lab.ts";
import { document, SkillsDesk } from "./skills-desk.ts";

const fillForm = defineTool({
  name: "fill_form",
  description: "Fills in a form.",
  input: z.strictObject({}),
  effect: "write",
  replay: "idempotent",
  run: () => "It is filled in.",
});

describe("a turn with skills", () => {
  it("[K3, K5, C2] lists them in its first prompt, loads one, has its tools in the next step, and proposes a draft", async () => {
    const groups = [{ name: "forms", tools: [fillForm], skills: ["pdf"] }];
    const desk = new SkillsDesk({ groups });
    await desk.put({ "skills/pdf/SKILL.md": document("pdf") });
    const { capability } = desk;
    const lab = new SessionLab({
      workspace: () => desk.lab.workspace(),
      prompt: { ...barePrompt, wants: capability.wants ?? {} },
      capabilities: [capability],
      tools: createFileTools(),
    });
    const call = (name: string, input: object) => ({ name, input: JSON.stringify(input) });
    const turn = async (key: string, steps: Parameters<typeof lab.say>[1]) => {
      lab.say(key, steps);
      while (lab.session.current()) await lab.settle();
    };
    const proposal = { name: "forms", description: "Fills in forms.", body: "Do it.\n" };
    await turn("t", [
      { calls: [call("load_skill_through_path", { skillId: "pdf_own" })] },
      { calls: [call("fill_form", {})] },
      { calls: [call("propose_skill", proposal)] },
      { text: "Done." },
    ]);
    expect(lab.entries().at(-1)).toMatchObject({ kind: "end", outcome: "completed" });
    const [first, second] = lab.witness.requests;
    expect(first?.system).toContain("pdf_own");
    expect(new Set(lab.witness.requests.map(({ system }) => system)).size).toBe(1);
    const namesOf = (request: typeof first) => request?.tools.map(({ name }) => name);
    expect(namesOf(first)).not.toContain("fill_form");
    expect(namesOf(second)).toContain("fill_form");
    const results = lab
      .entries()
      .flatMap((entry) => (entry.kind === "result" ? [entry] : []))
      .map(({ name, status, content }) => [name, status, JSON.stringify(content)]);
    expect(results).toEqual([
      ["load_skill_through_path", "success", expect.stringContaining("Do it.")],
      ["fill_form", "success", expect.stringContaining("It is filled in.")],
      ["propose_skill", "success", expect.stringContaining("a person has to look at it")],
    ]);
    expect((await desk.skills().records()).drafts).toMatchObject([
      { name: "forms", session: "s1" },
    ]);

    // A draft is not in the list; what a person has written is, in the next turn.
    await desk.put({ "skills/docs/SKILL.md": document("docs") });
    await turn("u", [{ text: "Hello." }]);
    const system = lab.witness.requests.at(-1)?.system ?? "";
    expect(system).toContain("docs_own");
    expect(system).not.toContain("forms_own");
  });
});
