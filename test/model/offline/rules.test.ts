import { describe, expect, it } from "vitest";
import type { ToolSpec } from "../../../src/model/model.ts";
import { createOfflineModel } from "../../../src/model/offline/offline-model.ts";
import { createTemplate } from "../../../src/workspace/layers/template.ts";
import { ask, builtInTools, promptOver, seedFiles, timeless } from "../../support/talk.ts";

const template = createTemplate(seedFiles(), "v");
const builtIn: readonly ToolSpec[] = builtInTools;
const tool = (name: string): ToolSpec => ({
  name,
  description: `${name} does it.`,
  inputSchema: { type: "object" },
});
const memory = [...builtIn, tool("memory_save"), tool("memory_search")];
const model = createOfflineModel({ clock: timeless });

const answerTo = (
  text: string,
  tools: readonly ToolSpec[] = builtIn,
  system = promptOver(template),
) => ask(model, { system, tools, messages: [{ role: "user", content: [{ type: "text", text }] }] });

const read = (path: string, more = {}) => ["read_file", { path, ...more }];
const zone = (timezone: string) => ["current_time", { timezone }];

describe("what is called for", () => {
  it.each([
    ["what time is it?", [["current_time", {}]]],
    ["What's the date today?", [["current_time", {}]]],
    ["what day is it", [["current_time", {}]]],
    ["Which weekday is today?", [["current_time", {}]]],
    ["time", [["current_time", {}]]],
    ["what time is it in Tokyo?", [zone("Asia/Tokyo")]],
    [
      "What is the time in New York and São Paulo?",
      [zone("America/New_York"), zone("America/Sao_Paulo")],
    ],
    ["current time in Europe/Vienna", [zone("Europe/Vienna")]],
    ["hello, what time is it in london", [zone("Europe/London")]],
    ["list files", [["list_files", { path: "." }]]],
    ["What files are there?", [["list_files", { path: "." }]]],
    ["ls knowledge/", [["list_files", { path: "knowledge" }]]],
    ["ls", [["list_files", { path: "." }]]],
    ["show me the files in knowledge", [["list_files", { path: "knowledge" }]]],
    ["list the knowledge files", [["list_files", { path: "knowledge" }]]],
    ["what's in the knowledge folder?", [["list_files", { path: "knowledge" }]]],
    ["please list all files", [["list_files", { path: "." }]]],
    ["read AGENTS.md", [read("AGENTS.md")]],
    ["Show me agents.md.", [read("AGENTS.md")]],
    ["open `knowledge/turns.md`", [read("knowledge/turns.md")]],
    ["read turns", [read("knowledge/turns.md")]],
    ["read turns.md and models.md", [read("knowledge/turns.md"), read("knowledge/models.md")]],
    ["cat notes/today.txt", [read("notes/today.txt")]],
    ["read turns.md from line 11", [read("knowledge/turns.md", { offset: 10 })]],
    ["read ../../etc/passwd", [read("../../etc/passwd")]],
    ['/tool read_file {"path":"AGENTS.md","limit":3}', [read("AGENTS.md", { limit: 3 })]],
    [
      '/tool current_time\n/tool list_files {"path":"x"}',
      [
        ["current_time", {}],
        ["list_files", { path: "x" }],
      ],
    ],
    ["how does a turn survive a crash?", [read("knowledge/turns.md")]],
    ["which models can I use?", [read("knowledge/models.md")]],
  ])("%s", async (said, calls) => {
    const step = await answerTo(said);
    expect(step.calls.map((call) => [call.name, JSON.parse(call.input)])).toEqual(calls);
    expect(step).toMatchObject({ finish: "tool-calls", text: "" });
  });

  it.each([
    ["remember that I like tea", "memory_save", { content: "- I like tea" }],
    [
      "Please remember: the meeting is on Monday",
      "memory_save",
      { content: "- The meeting is on Monday" },
    ],
    [
      "don't forget that Bob is allergic to nuts",
      "memory_save",
      { content: "- Bob is allergic to nuts" },
    ],
    [
      "what do you know about me?",
      "memory_search",
      { query: "user name prefers likes loves lives works uses wants decided deadline" },
    ],
    ["what is my shoe size?", "memory_search", { query: "my shoe size" }],
    ["do you remember the name of my cat?", "memory_search", { query: "the name of my cat" }],
    ["what do you remember about our project?", "memory_search", { query: "our project" }],
  ])("%s, where memory is offered", async (said, name, input) => {
    const { calls } = await answerTo(said, memory);
    expect(calls.map((call) => [call.name, JSON.parse(call.input)])).toEqual([[name, input]]);
  });
});

describe("what is said at once", () => {
  it.each([
    ["hello", /Hello! I am Carrel\./],
    ["Hi there", /You could try:\n\n(- .*\n){2}- .*$/],
    ["thanks!", /You are welcome/],
    ["who are you?", /I am Carrel, a research companion who works at a small desk/],
    ["what can you do?", /`read_file`: Reads a file[^]*\n\nCall one yourself/],
    ["/tools", /`current_time`: The current date/],
    ["what tools do you have?", /`list_files`/],
    ["bye", /Goodbye/],
    ["/tool", /Write `\/tool NAME/],
    ["/tool fly {}", /There is no tool `fly`. There are `current_time`, .* and `delete_file`\./],
    ["/tool read_file {bad", /not a JSON object: `\{bad`\n\nNothing was called/],
    ["/tool read_file [1]", /not a JSON object/],
    ["/tool current_time {}\n/tool fly {}", /no tool `fly`.*\n\nNothing was called/],
    ["remember that I like tea", /not offered to me here.*I like tea/],
    ["what is my name?", /You have not told me your name/],
    ["what do you know about me?", /Nothing yet/],
    ["count to 3", /\n\n1, 2, 3\.$/],
    ["count from 8 to 12", /\n\n8, 9, 10, 11, 12\.$/],
    ["count to 0", /nothing to count/],
    ["I like turtles", /I have no rule for that/],
    ["", /Hello!/],
  ])("%s", async (said, text) => {
    const step = await answerTo(said);
    expect(step.text).toMatch(text);
    expect(step).toMatchObject({ calls: [], finish: "stop" });
  });

  it("counts to 10,000 and no further", async () => {
    expect((await answerTo("count to 10,000")).text).toMatch(/9999, 10000\.$/);
    const { text } = await answerTo("count to 99999");
    expect(text).toMatch(/ 10000\.\n\nI stop here: 10,000 numbers/);
  });

  it.each([
    [1, 1],
    [20, 20],
    [500, 500],
    [10_000, 10_000],
    [1_000_000, 10_000],
  ])("writes exactly %d words, at most 10,000", async (wanted, written) => {
    const { text } = await answerTo(`write ${wanted} words about libraries`);
    const [, words = ""] = /start again\.\n\n(.*)$/s.exec(text) ?? [];
    expect(words.split(/\s+/)).toHaveLength(written);
    expect(words).toMatch(/\w\.$/);
  });

  it("says which tool it misses", async () => {
    expect((await answerTo("what time is it?", [])).text).toContain(
      "`current_time` is not offered",
    );
    expect((await answerTo("list files", [])).text).toContain("`list_files` is not offered");
    expect((await answerTo("read AGENTS.md", [])).text).toContain("`read_file` is not offered");
    expect((await answerTo("/tools", [])).text).toContain("No tools are offered");
    expect((await answerTo("how do I sew buttons?", [])).text).toContain(
      "no tool to open the knowledge files",
    );
  });

  it("is at home in a prompt without a workspace", async () => {
    for (const said of [
      "hello",
      "who are you?",
      "how does a turn survive a crash?",
      "count to 3",
    ]) {
      const step = await answerTo(said, [], "You help.");
      expect(step.text).toContain("built-in offline model");
      expect(step.calls).toEqual([]);
    }
  });
});

describe("work that was handed on", () => {
  it("is told as it came, and is no command and no question", async () => {
    const text = [
      "Work that was handed on has ended. This is what came of it; the user has not said anything.",
      '<task_result id="task_1" agent="scout" status="completed">\nFound it.\n/tools\n</task_result>',
      '<task_result id="task_2" agent="slow_thing" status="failed">\nNo.\n</task_result>',
    ].join("\n");
    const answer = await answerTo(text);
    expect(answer.calls).toEqual([]);
    expect(answer.text).toContain("**scout** is done:\n\nFound it.\n/tools");
    expect(answer.text).toContain("**slow_thing** has failed:\n\nNo.");
  });
});
