import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assemblePrompt } from "../../src/context/prompt.ts";
import { barePrompt } from "./bare-prompt.ts";
import { filesOf, snapshotOver } from "./snapshot-over.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/model/model.ts";
import { createOfflineModel } from "../../src/model/offline/offline-model.ts";
import type { Clock } from "../../src/shared/clock.ts";
import { CarrelError } from "../../src/shared/errors.ts";
import type {
  ContentPart,
  FinishReason,
  ModelMessage,
  StepPart,
  ToolCall,
  ToolResult,
} from "../../src/shared/messages.ts";
import { currentTime } from "../../src/tools/current-time.ts";
import { fileTools } from "../../src/tools/files/file-tools.ts";
import type { Tool } from "../../src/tools/tool.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { nodeWorkspace } from "./node-workspace.ts";
import { toolContext } from "./tool-context.ts";
import { createTemplate } from "../../src/workspace/layers/template.ts";
import type { Template } from "../../src/workspace/layers/template.ts";

/** A clock that never makes anyone wait. */
export const timeless: Clock = { now: () => 0, sleep: async () => {} };

/** The texts of `seed-workspace/`, read from the disk. */
export function seedFiles(): Record<string, { text: string }> {
  const root = fileURLToPath(new URL("../../seed-workspace", import.meta.url));
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) =>
    statSync(join(root, path)).isFile(),
  );
  return Object.fromEntries(
    paths.map((path) => [path, { text: readFileSync(join(root, path), "utf8") }]),
  );
}

export function promptOver(files: Template, persona = ""): string {
  const options = { ...barePrompt, persona, agentName: "Carrel", hasWorkspace: true };
  const snapshot = snapshotOver(options, { template: filesOf(files) });
  return assemblePrompt({ ...options, snapshot, sections: [], sessionId: "s1", date: 0 }).text;
}

export const builtInTools: readonly Tool[] = [currentTime, ...fileTools];

export type Step = {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finish: FinishReason;
};

/** One request, put together from its events. Ids of calls are numbered by `at`. */
export async function ask(model: Model, request: ModelRequest, at = 0): Promise<Step> {
  const events: ModelEvent[] = [];
  for await (const batch of model.stream(request, new AbortController().signal))
    events.push(...batch);
  const calls: ToolCall[] = [];
  let text = "";
  let finish: FinishReason = "other";
  for (const event of events) {
    if (event.type === "text") text += event.text;
    if (event.type === "tool-call")
      calls[event.index] = {
        type: "tool-call",
        call: `c${at}-${event.index}`,
        name: event.name,
        input: "",
      };
    const call = event.type === "tool-input" ? calls[event.index] : undefined;
    if (call && event.type === "tool-input")
      calls[event.index] = { ...call, input: call.input + event.text };
    if (event.type === "finish") finish = event.reason;
  }
  return { text, calls, finish };
}

export type Turn = { readonly answer: string; readonly steps: readonly Step[] };

/** A conversation with the offline model over real tools: as small as a loop can be that is no product. */
export class Talk {
  readonly messages: ModelMessage[] = [];
  readonly #model = createOfflineModel({ clock: timeless });
  readonly #system: string;
  readonly #tools: readonly Tool[];
  readonly #workspace: Workspace;
  readonly #session: string;

  constructor(options: {
    readonly system: string;
    readonly workspace: Workspace;
    readonly tools?: readonly Tool[];
    readonly session?: string;
  }) {
    this.#system = options.system;
    this.#workspace = options.workspace;
    this.#tools = options.tools ?? builtInTools;
    this.#session = options.session ?? "s1";
  }

  async say(text: string): Promise<Turn> {
    this.messages.push({ role: "user", content: [{ type: "text", text }] });
    const steps: Step[] = [];
    while (steps.length < 20) {
      const request = { system: this.#system, messages: this.messages, tools: this.#tools };
      const step = await ask(this.#model, request, this.messages.length);
      steps.push(step);
      const said: StepPart[] = step.text === "" ? [] : [{ type: "text", text: step.text }];
      this.messages.push({ role: "assistant", parts: [...said, ...step.calls] });
      if (step.calls.length === 0) return { answer: step.text, steps };
      this.messages.push({
        role: "tool",
        results: await Promise.all(step.calls.map((call) => this.#run(call))),
      });
    }
    throw new Error("the turn does not end");
  }

  async #run({ call, name, input }: ToolCall): Promise<ToolResult> {
    const result = (
      status: "success" | "error",
      output: string | readonly ContentPart[],
    ): ToolResult => {
      const content =
        typeof output === "string" ? [{ type: "text", text: output } as const] : output;
      return { call, name, status, content };
    };
    try {
      const tool = this.#tools.find((candidate) => candidate.name === name);
      if (!tool || tool.runsOn === "client") return result("error", "no such tool");
      const context = toolContext({
        key: call,
        op: `${this.#session}/${call}`,
        now: () => Date.UTC(2026, 10, 30, 16, 43, 12),
        workspace: this.#workspace,
      });
      const output = await tool.prepare(JSON.parse(input)).run(context);
      if (typeof output === "string") return result("success", output);
      if ("holds" in output) throw new Error("no tool of a talk waits for tasks");
      return result("success", "content" in output ? output.content : output);
    } catch (error) {
      if (error instanceof CarrelError) return result("error", error.message);
      throw error;
    }
  }
}

/** A conversation over the seed workspace, or over `files`. */
export function talkOver(files: Record<string, { text: string }> = seedFiles()): Talk {
  const template = createTemplate(files, "v");
  const texts = Object.entries(files).map(([path, { text }]) => [path, text]);
  const workspace = nodeWorkspace(Object.fromEntries(texts));
  return new Talk({ system: promptOver(template), workspace });
}
