import * as z from "zod";
import { CarrelError } from "../../shared/errors.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { SUBAGENTS } from "../catalogue.ts";
import { parseDeclaration } from "../parse-declaration.ts";

/** Says what a text must not be kept for, in a line each; none where nothing was found. */
export type Review = (text: string) => readonly string[];

const MAX_INSTRUCTIONS = 20_000;
const MAX_NAMES = 200;

const Input = z.strictObject({
  name: z
    .string()
    .regex(
      /^[a-z][a-z0-9-]{0,62}$/,
      "must be a small letter, then small letters, digits and -, 63 at most",
    )
    .describe("What it is called: agent_spawn takes it as agent_id."),
  description: z
    .string()
    .trim()
    .min(1)
    .max(1_024)
    .describe("What it is for and when to use it: all that is read when one is chosen."),
  instructions: z.string().trim().min(1).max(MAX_INSTRUCTIONS).describe("Its own prompt."),
  tools: z
    .array(z.string().min(1).max(200))
    .max(MAX_NAMES)
    .optional()
    .describe("The only tools that it has. Default: those that you have."),
  workspace: z
    .enum(["isolated", "shared"])
    .default("isolated")
    .describe("Whether it has a directory of its own, or your files."),
  dry_run: z.boolean().default(false).describe("Only show the file, without asking for it."),
});

type Wish = z.output<typeof Input>;

/** Drafts a declaration: a person sees all of it, may change it, and has it written, or not. */
export const agentGenerate = (review: Review) =>
  defineTool({
    name: "agent_generate",
    description:
      "Drafts a new kind of subagent, for work that comes again and again. A person is shown the draft and decides about it; from the next turn on it can be spawned.",
    input: Input,
    effect: "write",
    replay: "idempotent",
    parallel: false,
    subjects: ({ name }) => ({ paths: [pathOf(name)] }),
    check(wish) {
      const problem = problemOf(wish, review);
      // Nobody is asked for what would be refused.
      if (problem !== null) return { verdict: "deny", reason: problem };
      if (wish.dry_run) return { verdict: "pass" };
      const reason = `The agent has drafted a subagent, ${wish.name}. Approve it to have it in ${pathOf(wish.name)}.`;
      return { verdict: "ask", safety: true, reason };
    },
    async run(wish, { workspace, author, op }) {
      const path = pathOf(wish.name);
      const text = declarationOf(wish);
      if (wish.dry_run) return `${path} would be:\n\n${text}`;
      const changes = [{ kind: "write", path, content: { text }, expect: "absent" }] as const;
      try {
        await workspace.change({ by: author, changes, op });
      } catch (error) {
        if (!(error instanceof CarrelError) || error.code !== "conflict") throw error;
        throw new CarrelError(
          "conflict",
          `There is a subagent ${wish.name} already. Choose another name.`,
        );
      }
      return `${path} is written. From the next turn on, agent_spawn can spawn ${wish.name}.`;
    },
  });

const pathOf = (name: string): string => `${SUBAGENTS}/${name}.md`;

/** The file. JSON's strings are YAML's too. */
function declarationOf({ description, instructions, tools, workspace }: Wish): string {
  const fields = [
    `description: ${JSON.stringify(description)}`,
    ...(tools === undefined ? [] : [`tools: ${JSON.stringify(tools)}`]),
    `workspace: { mode: ${workspace} }`,
  ];
  return ["---", ...fields, "---", "", instructions, ""].join("\n");
}

/** Why a draft is not kept; `null` where nothing speaks against it. */
function problemOf(wish: Wish, review: Review): string | null {
  const text = declarationOf(wish);
  const parsed = parseDeclaration(wish.name, text);
  const problems = parsed.kind === "bad" ? [parsed.why] : parsed.warnings;
  if (problems.length > 0) return problems.join(" ");
  const found = review(text);
  return found.length === 0
    ? null
    : `The draft looks dangerous: ${found.join("; ")}. Write it without that.`;
}
