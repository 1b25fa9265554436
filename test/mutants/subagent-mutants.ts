import type { Mutant } from "./mutant.ts";

const subagents = "test/subagents";
const sweep = (scenario: string) =>
  `[U3] [U4] [U5] [U6] (${scenario}) lose and double nothing wherever an object of them ends`;

/** Defects of subagents and background tasks. */
export const subagentMutants: readonly Mutant[] = [
  {
    name: "a subagent that has not begun takes rights, and then nothing else",
    file: "src/turn/tasks/family.ts",
    find: `    if (!role) return;
    governed(this.#core, rights, role);`,
    replace: `    if (role) governed(this.#core, rights, role);
    else this.#core.commit("permissions", (tx) => this.#core.writePermissions(tx, rights.permissions, ""));`,
    test: sweep("may do less meanwhile"),
    in: `${subagents}/crash-sweep.test.ts`,
  },
  {
    name: "a call that was cut off leaves its task at work when the turn is stopped",
    file: "src/turn/settle.ts",
    find: `entry.kind === "held" || (entry.kind === "result" && entry.status === "unknown");`,
    replace: `entry.kind === "held";`,
    test: sweep("replaced and begun anew"),
    in: `${subagents}/crash-sweep.test.ts`,
  },
  {
    name: "what a subagent may do reaches it some time",
    file: "src/turn/tasks/children.ts",
    find: `  if (sessions.size > 0) tx.tell();
`,
    replace: "",
    test: "[P1] [A9] one that is at work plans from when its parent does, with all that it may do otherwise",
    in: `${subagents}/family.test.ts`,
  },
  {
    name: "a change of its parent's rights widens what it did not inherit",
    file: "src/turn/tasks/governed.ts",
    find: `= restricted(given, declaration);`,
    replace: `= declaration.inheritParentPermissions ? given : given;`,
    test: "inheritParentPermissions: false asks for what its parent allows, also once that has changed",
    in: `${subagents}/declared.test.ts`,
  },
  {
    name: "a report that comes again is heard again",
    file: "src/turn/tasks/take-report.ts",
    find: `return at !== null && compareCursors(at, heard) > 0;`,
    replace: `return at !== null && heard.seq >= 0;`,
    test: sweep("waited for"),
    in: `${subagents}/crash-sweep.test.ts`,
  },
  {
    name: "a cancel is answered before its subagent knows",
    file: "src/turn/tasks/children.ts",
    find: `if (task.session) await stop(core, task.session, id);`,
    replace: `if (task.session) void stop(core, task.session, id).catch(() => {});`,
    test: "[U5] by a person: once it is answered, no model and no tool is called for the task",
    in: `${subagents}/stopped.test.ts`,
  },
  {
    name: "a tool begins although its turn was stopped",
    file: "src/turn/calls/perform.ts",
    find: `    if (scope.signal.aborted) throw new LostTurn();
    core.platform.point("tool:before");`,
    replace: `    core.platform.point("tool:before");`,
    test: "[T9] is not made any more once its turn was stopped, whatever is around it",
    in: "test/turn/tool-calls.test.ts",
  },
  {
    name: "a tool in the background is forgotten with its object",
    file: "src/turn/tasks/background.ts",
    find: `if (beside.tools.has(task)) setDue`,
    replace: `if (task !== "") setDue`,
    test: "[T5] [U4] that a restart cuts off is told as that, once, and is not run again",
    in: "test/turn/background.test.ts",
  },
  {
    name: "an isolated subagent is told what lies outside",
    file: "src/workspace/within-directory.ts",
    find: `filter((name) => name.startsWith(\`"\${root}/\`))`,
    replace: `filter((name) => name !== root)`,
    test: "isolated, it is a directory of its own: nothing outside of it can be named",
    in: `${subagents}/declared.test.ts`,
  },
];
