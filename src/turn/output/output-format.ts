import type { StepPart } from "../../shared/messages.ts";
import type { OutputFormat } from "../../shared/session-api.ts";
import type { JournalEntry } from "../../session/entries.ts";
import { RefusedInput } from "../../tools/input-issues.ts";
import type { ServerTool } from "../../tools/tool.ts";
import { compileSchema } from "./output-schema.ts";
import type { TurnEnd } from "../settle.ts";

/** The tool that gives the answer of a turn that was asked for JSON; AgentScope's name for it. */
export const ANSWER_TOOL = "generate_response";

const INSTRUCTION = `<output_format>
Give your final answer by calling ${ANSWER_TOOL} once, with arguments that match its schema. It ends your turn: use other tools before it, and write no answer beside it.
</output_format>`;

/** An answer as JSON text that was checked: the value, or what is wrong with it, a line for each thing. */
export type Judged = { readonly value: unknown } | { readonly problems: readonly string[] };

/** How a turn that was asked for JSON is held to it. */
export type AnswerFormat = {
  readonly tool: ServerTool;
  /** Checks the arguments of a call of the tool. The value is what was written: nothing is converted, added or dropped. */
  readonly judgeInput: (input: string) => Judged;
  /** The same of a text: all of it, or a fenced block in it. */
  readonly judgeText: (text: string) => Judged;
};

/** What the turn's message asks the answer to be; `null` when it may be anything. Throws as `compileSchema` does. */
export function answerFormat(entries: readonly JournalEntry[]): AnswerFormat | null {
  const user = entries.find((entry) => entry.kind === "user");
  return user?.output === undefined ? null : formatOf(user.output);
}

function formatOf({ schema }: OutputFormat): AnswerFormat {
  const { problemsOf } = compileSchema(schema);
  const judge = (value: unknown): Judged => {
    const problems = problemsOf(value);
    return problems.length === 0 ? { value } : { problems };
  };
  const { $schema: _, ...inputSchema } = schema;
  return {
    tool: answerTool(inputSchema, judge),
    judgeInput: (input) => judgeJson(input.trim() === "" ? "{}" : input, judge),
    judgeText: (text) => judgeTexts(candidatesIn(text), judge),
  };
}

function answerTool(
  inputSchema: ServerTool["inputSchema"],
  judge: (value: unknown) => Judged,
): ServerTool {
  return {
    name: ANSWER_TOOL,
    description: "Gives the final answer, in the form that was asked for, and ends the turn.",
    inputSchema,
    effect: "read",
    replay: "pure",
    parallel: true,
    prepare(input) {
      const judged = judge(input);
      if ("problems" in judged)
        throw new RefusedInput(
          `The arguments of ${ANSWER_TOOL} do not match its schema:`,
          judged.problems,
        );
      // What stands in an answer is nothing that is used: no path, command or address of a call.
      return { subjects: {}, run: () => Promise.resolve("The answer was taken.") };
    },
  };
}

const NO_JSON = "it is not valid JSON";

function judgeJson(text: string, judge: (value: unknown) => Judged): Judged {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problems: [NO_JSON] };
  }
  return judge(value);
}

/** The first that fits; else what is wrong with the first that is JSON at all. */
function judgeTexts(texts: readonly string[], judge: (value: unknown) => Judged): Judged {
  let worst: Judged = { problems: [NO_JSON] };
  let isJson = false;
  for (const text of texts) {
    const judged = judgeJson(text, judge);
    if ("value" in judged) return judged;
    if (!isJson && judged.problems[0] !== NO_JSON) {
      worst = judged;
      isJson = true;
    }
  }
  return worst;
}

/** Texts that may be the answer: all of it, then what stands between two lines of backticks, the last first. */
function candidatesIn(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] | null = null;
  for (const line of text.split("\n")) {
    if (!line.trimStart().startsWith("```")) block?.push(line);
    else if (block === null) block = [];
    else {
      blocks.push(block.join("\n"));
      block = null;
    }
  }
  return [text, ...blocks.reverse()];
}

const listed = (problems: readonly string[]) => problems.map((line) => `- ${line}`).join("\n");

/** The entries with the instruction in the message of `turn`, so that the same request is made in each of its steps. */
export function withInstruction(
  entries: readonly JournalEntry[],
  turn: string,
): readonly JournalEntry[] {
  return entries.map((entry) =>
    entry.kind === "user" && entry.turn === turn
      ? { ...entry, content: [...entry.content, { type: "text", text: INSTRUCTION }] }
      : entry,
  );
}

/** Ends the turn with the answer that it was asked for. */
export const answered = (output: unknown): TurnEnd => ({ outcome: "completed", output });

/** Ends the turn that did not give it. */
export const unanswered = (why: string): TurnEnd => ({
  outcome: "failed",
  error: { code: "output_invalid", message: why },
});

/** The same after the model was told `problems` once before. */
export const unansweredTwice = (problems: readonly string[]): TurnEnd =>
  unanswered(
    `The model's answer did not match the schema, also after it was told why: ${problems.join("; ")}. Send the message again, or ask for a simpler form.`,
  );

/** What comes after a step that called nothing, given what came before it: the turn's end, or what the model is told once. */
export function afterText(
  format: AnswerFormat,
  parts: readonly StepPart[],
  before: readonly JournalEntry[],
): TurnEnd | { readonly repair: string } {
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const judged = format.judgeText(text);
  if ("value" in judged) return answered(judged.value);
  if (failedAnswers(before) > 0) return unansweredTwice(judged.problems);
  const head = "Your answer does not have the form that was asked for:";
  const repair = `${head}\n${listed(judged.problems)}\nCall ${ANSWER_TOOL} with the corrected answer.`;
  return { repair };
}

/** In how many steps the model has failed to give the answer. */
export function failedAnswers(entries: readonly JournalEntry[]): number {
  const steps = new Set<JournalEntry>();
  let step: JournalEntry | null = null;
  let repairs = 0;
  for (const entry of entries) {
    if (entry.kind === "step") step = entry;
    if (entry.kind === "repair") repairs += 1;
    if (step && entry.kind === "result" && entry.name === ANSWER_TOOL && entry.status === "error")
      steps.add(step);
  }
  return steps.size + repairs;
}
