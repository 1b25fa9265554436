import { describe, expect, it } from "vitest";
import { AskingLab, asking } from "./asking-lab.ts";

describe("a mode that the operator has withdrawn", () => {
  it("[A10] holds no more in a session that chose it; the operator's does, and its rules stay", async () => {
    const lab = new AskingLab();
    const deny = [{ tool: "keyed_thing" }];
    lab.session.setPermissions({ mode: "BYPASS", deny }, "ann");
    lab.restartWith({ mode: "ACCEPT_EDITS", modes: ["DEFAULT", "ACCEPT_EDITS"] });
    expect(lab.status().mode).toBe("ACCEPT_EDITS");
    expect(lab.session.permissions().session).toEqual({
      mode: "ACCEPT_EDITS",
      allow: [],
      ask: [],
      deny,
    });
    lab.say("t", asking("a"));
    await lab.settle();
    expect(lab.effects.runs).toEqual([]);
    expect(lab.pending()).toHaveLength(1);
  });

  it("[A10] is not brought back by rules that are chosen later", () => {
    const lab = new AskingLab();
    lab.session.setPermissions({ mode: "BYPASS" }, "ann");
    lab.restartWith({ modes: ["DEFAULT"] });
    lab.session.setPermissions({ ask: [{ tool: "read_thing" }] }, "ann");
    expect(lab.session.permissions().session.mode).toBe("DEFAULT");
    lab.again();
    expect(lab.session.permissions().session.mode).toBe("DEFAULT");
  });
});
