import * as z from "zod";
import { describe, expect, it } from "vitest";
import { defaultPermissions } from "../../src/permissions/config.ts";
import type { ModelRequest } from "../../src/model/model.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import type { ToolOutput } from "../../src/tools/tool.ts";
import { offeredSpecs } from "../../src/turn/calls/groups.ts";
import { Measure } from "../../src/turn/compaction/size.ts";
import type { Capability } from "../../src/turn/capability.ts";
import { createScriptedTools } from "../support/scripted-tools.ts";
import { SessionLab, type LabOptions } from "./session-lab.ts";

/** `get` gives what it is told to; `bind` is of the group `binding`, and says when it ran. */
function groupLab(options: LabOptions & { readonly gives?: (names: string[]) => ToolOutput } = {}) {
  const ran: string[] = [];
  const content = [{ type: "text", text: "Here." }] as const;
  const { gives = (activates: string[]) => ({ content, activates }), ...harness } = options;
  const get = defineTool({
    name: "get",
    description: "Gets groups.",
    input: z.strictObject({ groups: z.array(z.string()).default(["binding"]) }),
    effect: "read",
    replay: "pure",
    parallel: false,
    run: async ({ groups }) => gives(groups),
  });
  const bind = defineTool({
    name: "bind",
    description: "Binds.",
    input: z.strictObject({ label: z.string().default("x") }),
    group: "binding",
    replay: "idempotent",
    run: async ({ label }) => {
      ran.push(label);
      return "bound";
    },
  });
  const tools = [...createScriptedTools({ runs: [], keyed: new Map() }), get, bind];
  const lab = new SessionLab({ tools, ...harness });
  const say = async (key: string, ...steps: readonly (readonly [string, object])[][]) => {
    const calls = steps.map((step) => ({
      calls: step.map(([name, input]) => ({ name, input: JSON.stringify(input) })),
    }));
    lab.say(key, [...calls, { text: "ok" }]);
    await lab.settle();
  };
  const results = (turn: string) =>
    lab
      .entries(turn)
      .flatMap((entry) =>
        entry.kind === "result"
          ? [`${entry.status}: ${entry.content.map((part) => "text" in part && part.text).join()}`]
          : [],
      );
  return { lab, ran, say, results };
}

const offered = ({ tools }: ModelRequest): boolean => tools.some(({ name }) => name === "bind");
const offers = (lab: SessionLab): boolean[] => lab.witness.requests.map(offered);

const REFUSED = 'error: This tool is not available yet: it belongs to the group "binding".';
const get = ["get", {}] as const;
const bind = ["bind", { label: "a" }] as const;

describe("a group of tools", () => {
  it("[K3, X5] is offered from the step after the result that activates it, and refused before", async () => {
    const { lab, ran, say, results } = groupLab();
    await say("t", [bind], [get, bind], [bind]);
    expect(results("t")).toEqual([REFUSED, "success: Here.", REFUSED, "success: bound"]);
    expect(ran).toEqual(["a"]);
    expect(offers(lab)).toEqual([false, false, true, true]);
    await say("u", [bind]);
    expect(offers(lab).slice(4)).toEqual([true, true]);
    const [first, , third] = lab.witness.requests.map(({ tools }) => JSON.stringify(tools));
    expect(third?.startsWith((first ?? "").slice(0, -1))).toBe(true);
  });

  it("[K3] is active in its session alone", async () => {
    const one = groupLab();
    await one.say("t", [get]);
    const other = groupLab();
    await other.say("t", [bind]);
    expect(other.results("t")).toEqual([REFUSED]);
  });

  it("[K3] stays after the object is gone, and where the conversation begins anew", async () => {
    const { lab, say, results } = groupLab();
    await say("t", [get]);
    lab.restart();
    await say("u", [bind]);
    lab.session.clear("ann");
    await say("v", [bind]);
    lab.restart();
    await say("w", [bind]);
    for (const turn of ["u", "v", "w"]) expect(results(turn)).toEqual(["success: bound"]);
  });

  it("[K3, A1] asks nobody about a call before it is active, and as about any after", async () => {
    const { lab, say, results } = groupLab({ permissions: defaultPermissions });
    await say("t", [bind]);
    expect(results("t")).toEqual([REFUSED]);
    expect(lab.story("t")).not.toContain("asked");
    await say("u", [get], [bind]);
    expect(lab.session.current()).toMatchObject({ turn: "u", state: "waiting" });
  });

  it("[K3] passes every gate that other tools pass", async () => {
    const gated: Capability = {
      name: "gate",
      gate: (_, { name }) => (name === "bind" ? "not on a Sunday." : null),
    };
    const { say, results, ran } = groupLab({ capabilities: [gated] });
    await say("t", [get], [bind]);
    expect(results("t").at(-1)).toBe("denied: Not run: not on a Sunday.");
    expect(ran).toEqual([]);
  });

  it("[K3] is activated by no call that failed, and by no name that is none", async () => {
    const failing: Capability = {
      name: "failing",
      wrapToolCall: async (_, { name }, next) => ({
        ...(await next()),
        ...(name === "get" ? { status: "error" as const } : {}),
      }),
    };
    const failed = groupLab({ capabilities: [failing] });
    await failed.say("t", [get], [bind]);
    expect(failed.results("t").at(-1)).toBe(REFUSED);
    const odd = groupLab();
    const many = Array.from({ length: 150 }, (_, no) => `g${no}`);
    await odd.say("t", [["get", { groups: ["", "x".repeat(201), "__proto__", "a", "a"] }]]);
    expect(odd.lab.session.state().tool_context).toEqual({ activated_groups: ["__proto__", "a"] });
    await odd.say("u", [["get", { groups: many }]]);
    const { activated_groups } = odd.lab.session.state().tool_context;
    expect(activated_groups).toHaveLength(100);
  });

  it("[K3] is told of in no list of tools before it is active", async () => {
    const { say, results } = groupLab();
    await say("t", [["nothing", {}]], [get], [["nothing", {}]]);
    const [before, , after] = results("t");
    expect(before).not.toContain("bind");
    expect(after).toContain("bind");
  });

  it("[K3, T13] goes with a state to another session, beside what else that says of tools", async () => {
    const { lab, say } = groupLab();
    await say("t", [get]);
    const state = lab.session.state();
    expect(state.tool_context).toEqual({ activated_groups: ["binding"] });
    const other = groupLab();
    const tool_context = { activated_groups: ["binding", 7, "unknown"], more: { x: 1 } };
    other.lab.session.importState({ ...state, tool_context }, "ann");
    await other.say("u", [bind]);
    expect(other.results("u")).toEqual(["success: bound"]);
    other.lab.restart();
    const { tool_context: out } = other.lab.session.state();
    expect(out).toEqual({ activated_groups: ["binding", "unknown"], more: { x: 1 } });
  });

  it("[K3, T12] costs one row when it is activated, and nothing else ever", async () => {
    const { lab, say } = groupLab();
    const rows = () => lab.sql.all("SELECT name FROM state WHERE name = 'groups'").length;
    await say("t", [["get", { groups: [] }]]);
    expect(rows()).toBe(0);
    await say("u", [get]);
    expect(rows()).toBe(1);
    const [first] = lab.entries("u").filter(({ kind }) => kind === "result");
    expect(first).toMatchObject({ activates: ["binding"] });
    const writes: string[] = [];
    const run = lab.sql.run.bind(lab.sql);
    lab.sql.run = (query, ...values) => {
      writes.push(query);
      return run(query, ...values);
    };
    await say("v", [get], [bind]);
    expect(writes.filter((query) => query.includes("INTO state"))).toEqual([]);
    const [again] = lab.entries("v").filter(({ kind }) => kind === "result");
    expect(again).not.toHaveProperty("activates");
  });

  it("[K3, C6] counts among the tokens of a request only once it is offered", () => {
    const measure = new Measure();
    const schema = { type: "object", description: "word ".repeat(500) };
    const tool = (name: string, group?: string) => {
      const made = defineTool({
        name,
        description: "",
        input: z.object({}),
        run: () => "",
        ...(group === undefined ? {} : { group }),
      });
      return { ...made, inputSchema: schema };
    };
    const tools = new Map([tool("a"), tool("b", "g")].map((one) => [one.name, one] as const));
    const specs = [...tools.values()].map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    const model = { id: "m", stream: () => (async function* () {})() };
    const tokens = (active: readonly string[]) => {
      const frame = { model, system: "", specs: offeredSpecs({ specs, tools }, active) };
      return measure.request(frame, { view: [], kept: [] }, { from: 0 }).tokens;
    };
    expect(tokens(["g"])).toBe(2 * tokens([]));
    expect(offeredSpecs({ specs, tools }, ["g"])).toEqual(specs);
  });
});
