import { describe, expect, it } from "vitest";
import { defaultPermissions } from "../../src/permissions/config.ts";
import type { ContentPart } from "../../src/shared/messages.ts";
import { permissionModes } from "../../src/shared/permissions.ts";
import type { Capability } from "../../src/turn/capability.ts";
import { call, city, good, OutputLab } from "./output-lab.ts";

describe("the call that gives the answer", () => {
  const dangerous = { command: "rm -rf /", path: "/etc/passwd" };

  it.each([
    ...permissionModes.map((mode) => [mode, []] as const),
    ["DEFAULT", [{ tool: "*" }]],
  ] as const)("[A1] is never asked about: mode %s, ask rules %j", async (mode, ask) => {
    const lab = new OutputLab([call(JSON.stringify(dangerous))], {
      permissions: { ...defaultPermissions, mode, ask },
    });
    await lab.ask({ type: "object" });
    expect(lab.end()).toMatchObject({ outcome: "completed", output: dangerous });
  });

  it("is not judged by what stands in the answer", async () => {
    const permissions = { ...defaultPermissions, deny: [{ tool: "*", path: "/etc/**" }] };
    const lab = new OutputLab([call(JSON.stringify(dangerous))], { permissions });
    await lab.ask({ type: "object" });
    expect(lab.end()).toMatchObject({ outcome: "completed", output: dangerous });
  });

  it("[T2] waits with the turn for an approval of what was called beside it", async () => {
    const both = { calls: [{ name: "unsafe_thing", input: "{}" }, ...good.calls] };
    const lab = new OutputLab([both], { permissions: defaultPermissions });
    await lab.ask();
    expect(lab.story()).toMatch(/asked .*result:success .*waiting$/);
    const [pending] = lab.session.history({ limit: 1 }).status.pending;
    if (!pending) throw new Error("nothing waits");
    const { call: id, digest } = pending;
    await lab.session.answer([{ kind: "approve", call: id, digest }], "user:ann");
    await lab.settle();
    expect(lab.effects.runs).toEqual(["unsafe_thing:x"]);
    expect(lab.requests).toHaveLength(1);
    expect(lab.end()).toMatchObject({ outcome: "completed", output: city });
  });

  it.each([
    ["a deny rule", { deny: [{ tool: "generate_response" }] }, {}],
    ["a gate", {}, { capabilities: [{ name: "plan", gate: () => "Not before the plan stands." }] }],
  ] as const)("is not asked for again where %s denied it", async (_, rules, options) => {
    const permissions = { ...defaultPermissions, ...rules };
    const lab = new OutputLab([good, good], { permissions, ...options });
    await lab.ask();
    expect(lab.story()).toBe("user step:tool-calls result:denied end:output_invalid");
    const { message } = lab.end().error ?? {};
    expect(message).toMatch(/^It was denied: .*(a rule forbids it|Not before the plan stands)/);
  });

  it("is not asked for again where something around it denied it", async () => {
    const content: ContentPart[] = [{ type: "text", text: "Not in this house." }];
    const house: Capability = {
      name: "house",
      wrapToolCall: async (_, { name }, next) =>
        name === "generate_response" ? { status: "denied", content } : next(),
    };
    const lab = new OutputLab([good, good], { capabilities: [house] });
    await lab.ask();
    expect(lab.requests).toHaveLength(1);
    expect(lab.end()).toMatchObject({
      error: { code: "output_invalid", message: expect.stringContaining("Not in this house.") },
    });
  });
});
