import * as z from "zod";
import { CarrelError } from "../shared/errors.ts";
import { noPlan, type Plan } from "../shared/plan.ts";
import { sha256Hex } from "../shared/sha256.ts";
import { defineTool } from "../tools/define-tool.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";

const MAX_PLAN = 100_000;
const MAX_SUMMARY = 2_000;

/** Where a session's plan lies. */
export const planPath = (session: string): string => `plans/${session}/PLAN.md`;

const hashOf = (text: string): Promise<string> => sha256Hex(new TextEncoder().encode(text));

const said = (text: string, plan?: Plan) => ({
  content: [{ type: "text", text }] as const,
  ...(plan && { plan }),
});

/**
 * The tools to plan with, of a session that plans as `plan` says at any moment. They change nothing but the session's own
 * records, so they work in every mode; when they may be used is for the gate.
 */
export const planTools = (plan: () => Plan): readonly Tool[] => [
  planEnter(plan),
  planWrite(plan),
  planExit(plan),
];

const planEnter = (plan: () => Plan) =>
  defineTool({
    name: "plan_enter",
    description:
      "Begins plan mode: from the next call on only tools that read may run, until a person approves a plan. Use it before work that is large, risky, or that the person should agree to first. Then look around, write the plan with plan_write and ask for its approval with plan_exit.",
    input: z.strictObject({}),
    effect: "read",
    replay: "idempotent",
    parallel: false,
    run: () =>
      plan().active
        ? "Plan mode is on already."
        : said(
            "Plan mode is on: only tools that read may run now. Look around, write the plan with plan_write, and ask for its approval with plan_exit.",
            { ...noPlan, active: true },
          ),
  });

const planWrite = (plan: () => Plan) =>
  defineTool({
    name: "plan_write",
    description:
      "Writes the plan of this session, all of it, in Markdown; what was there before is replaced. Say what is to be done, in which order, in which files, and how it will be checked.",
    input: z.strictObject({
      content: z.string().trim().min(1).max(MAX_PLAN).describe("The whole plan, in Markdown."),
    }),
    effect: "read",
    replay: "idempotent",
    parallel: false,
    async run({ content }, { workspace, address, author, op }) {
      const path = planPath(address.session);
      const text = `${content}\n`;
      const hash = await hashOf(text);
      await workspace.change({
        by: author,
        changes: [{ kind: "write", path, content: { text } }],
        op,
      });
      return said(`The plan is in ${path}. Ask for its approval with plan_exit.`, {
        ...plan(),
        path,
        hash,
        approved: null,
      });
    },
  });

const planExit = (plan: () => Plan) =>
  defineTool({
    name: "plan_exit",
    description:
      "Asks the person to approve the plan that plan_write has written, and ends plan mode once they have. Where they do not, plan mode stays on, and their reason says what to change.",
    input: z.strictObject({
      summary: z
        .string()
        .max(MAX_SUMMARY)
        .optional()
        .describe("What the plan comes to, in a sentence or two."),
    }),
    effect: "read",
    replay: "idempotent",
    parallel: false,
    check: () => ({ verdict: "ask", safety: true, reason: questionOf(plan()) }),
    binds: () => plan().hash ?? "",
    async run(_, context) {
      const approved = plan();
      await checkFile(approved, context);
      return said("The person has approved the plan. Plan mode is off: carry the plan out.", {
        ...approved,
        active: false,
        approved: approved.hash,
      });
    },
  });

const questionOf = ({ path }: Plan): string =>
  `The agent has written a plan${path === null ? "" : ` in ${path}`}. Approve it to have the agent carry it out.`;

/** What was approved is what is there. Throws `CarrelError('conflict')`. */
async function checkFile(
  { path, hash }: Plan,
  { workspace }: Pick<ToolContext, "workspace">,
): Promise<void> {
  const { files } = await workspace.readMany({ paths: [path ?? ""], layer: "own" });
  const content = files[0]?.content;
  const text = content && "text" in content ? content.text : null;
  if (text === null || (await hashOf(text)) !== hash)
    throw new CarrelError(
      "conflict",
      "The file of the plan is not what was written last. Write the plan again with plan_write.",
    );
}
