import { describe, expect, it } from "vitest";
import { readWorkspaceContext } from "../../../src/model/offline/workspace-context.ts";
import { createTemplate } from "../../../src/workspace/layers/template.ts";
import { promptOver } from "../../support/talk.ts";

describe("readWorkspaceContext", () => {
  it("reads back from the prompt what was put into it", () => {
    const agents = "# A\n\nYou are A.\n\n    code\n</agents_context> not the end";
    const files = {
      "AGENTS.md": { text: agents },
      "knowledge/KNOWLEDGE.md": {
        text: "Index.\n\n- `a.md`: first\n\nKnowledge files:\n- not/this.md",
      },
      "knowledge/a.md": { text: "" },
      "knowledge/deep/b c.md": { text: "" },
    };
    expect(readWorkspaceContext(promptOver(createTemplate(files, "v"), "persona"))).toEqual({
      agents: agents.replace("</", "&lt;/"),
      index: "Index.\n\n- `a.md`: first\n\nKnowledge files:\n- not/this.md",
      files: ["knowledge/a.md", "knowledge/deep/b c.md"],
    });
  });

  it("finds nothing where there is nothing", () => {
    const nothing = { agents: "", index: "", files: [] };
    expect(readWorkspaceContext("")).toEqual(nothing);
    expect(readWorkspaceContext("<agents_context>")).toEqual(nothing);
    expect(readWorkspaceContext(promptOver(createTemplate({}, "v")))).toEqual(nothing);
  });
});
