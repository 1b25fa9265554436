import { describe, expect, it } from "vitest";
import { createOfflineModel } from "../../../src/model/offline/offline-model.ts";
import type { ModelMessage, ToolStatus } from "../../../src/shared/messages.ts";
import { ask, talkOver, timeless } from "../../support/talk.ts";

const INTRODUCTION = "built-in offline model";

describe("a conversation with the offline model", () => {
  it("introduces itself in its first answer, also after tools, and never again", async () => {
    const talk = talkOver();
    const first = await talk.say("what time is it?");
    expect(first.steps.map((step) => step.text.includes(INTRODUCTION))).toEqual([false, true]);
    expect(first.answer).toContain("`MODEL=provider:name`");
    expect(first.answer).toContain(".dev.vars");
    expect((await talk.say("what time is it?")).answer).not.toContain(INTRODUCTION);
    expect((await talk.say("hello")).answer).not.toContain(INTRODUCTION);
  });

  it.each([
    ["what time is it?", "It is 16:43 UTC on Monday, 30 November 2026."],
    [
      "what time is it in Tokyo?",
      "In Tokyo it is 01:43 on Tuesday, 1 December 2026 (Asia/Tokyo, UTC+09:00).",
    ],
    ["list files", "- `AGENTS.md`, "],
    ["list the knowledge files", "- `knowledge/turns.md`, "],
    ["read AGENTS.md", "**AGENTS.md**\n\n```md\n# Carrel\n"],
    ["read nothing/here.md", "**read_file** failed:"],
    ["read knowledge", "**knowledge/KNOWLEDGE.md**"],
    ["what time is it in Mars/Olympus?", "must be an IANA time zone"],
    [
      '/tool current_time {"timezone":"UTC"}',
      "**current_time** answered:\n\n```\n2026-11-30T16:43:12+00:00 (Monday, UTC)\n```",
    ],
    ['/tool read_file {"file":"x"}', 'unknown field "file"'],
  ])('answers "%s" with what the tool said', async (said, part) => {
    const { answer, steps } = await talkOver().say(said);
    expect(answer).toContain(part);
    expect(steps).toHaveLength(2);
  });

  it("calls several tools in one step", async () => {
    const { steps, answer } = await talkOver().say(
      '/tool current_time\n/tool list_files {"path":"knowledge"}',
    );
    expect(steps[0]?.calls.map((call) => call.name)).toEqual(["current_time", "list_files"]);
    expect(answer.match(/answered:/g)).toHaveLength(2);
  });

  it("opens more files when the likeliest ones do not answer", async () => {
    const filler = { text: "Nothing of interest is written here." };
    const files = Object.fromEntries([
      ["knowledge/KNOWLEDGE.md", { text: "- `a.md`: about zebras" }],
      ...["a", "b", "c", "d"].map((name) => [`knowledge/${name}.md`, filler]),
      ["knowledge/b.md", { text: "Zebras sleep standing up. They lean on each other." }],
    ]);
    const { steps, answer } = await talkOver(files).say("how do zebras sleep?");
    expect(steps.map((step) => step.calls.map((call) => JSON.parse(call.input).path))).toEqual([
      ["knowledge/a.md"],
      ["knowledge/b.md", "knowledge/c.md", "knowledge/d.md"],
      [],
    ]);
    expect(answer).toContain("> Zebras sleep standing up.");
    expect(answer).toContain("Source: knowledge/b.md");
  });

  it("answers in the language of the files it has, also without spaces between words", async () => {
    const files = {
      "knowledge/ryokan.md": { text: "# 温泉\n\n温泉は朝六時から入れます。\n\n夕食は七時です。" },
    };
    const { answer } = await talkOver(files).say("温泉は何時から入れますか？");
    expect(answer).toContain("> 温泉は朝六時から入れます。");
    expect(answer).not.toContain("夕食");
  });

  it("pages through a long file on request", async () => {
    const text = Array.from({ length: 2_500 }, (_, at) => `row ${at + 1}`).join("\n");
    const talk = talkOver({ "notes.txt": { text } });
    const first = await talk.say("read notes.txt");
    expect(first.answer).toContain("row 2000\n```");
    const next = /say `(read notes\.txt from line 2001)`/.exec(first.answer)?.[1] ?? "";
    const second = await talk.say(next);
    expect(second.answer).toContain("```txt\nrow 2001\n");
    expect(second.answer).toMatch(/row 2500\n```$/);
  });

  it("shows a file with fences in it whole", async () => {
    const text = "before\n\n````\n```\ninner\n```\n````\n\nafter";
    const { answer } = await talkOver({ "a.md": { text } }).say("read a.md");
    expect(answer).toContain(`\`\`\`\`\`md\n${text}\n\`\`\`\`\``);
  });

  it("knows what it was told, and what was said last counts", async () => {
    const talk = talkOver();
    expect((await talk.say("My name is Ada and my favourite colour is green.")).answer).toContain(
      "your name is Ada",
    );
    await talk.say("I live in Vienna.");
    expect((await talk.say("what is my name?")).answer).toBe("Your name is Ada, as you told me.");
    expect((await talk.say("What's my favourite colour again?")).answer).toContain("green");
    expect((await talk.say("where do I live?")).answer).toContain("Vienna");
    await talk.say("Call me Countess Lovelace");
    expect((await talk.say("who am I?")).answer).toContain("Countess Lovelace");
    expect((await talk.say("what is my shoe size?")).answer).toContain(
      "not told me your shoe size",
    );
  });

  it("recalls from the conversation while there is no memory", async () => {
    const talk = talkOver();
    await talk.say("remember that the deadline is on Friday");
    await talk.say("my name is Bob");
    const { answer } = await talk.say("what do you know about me?");
    expect(answer).toBe(
      "From this conversation:\n\n- The deadline is on Friday\n- your name is Bob",
    );
  });

  it("takes the persona and the questions from whatever workspace it is given", async () => {
    const files = {
      "AGENTS.md": { text: "# Chef\n\nYou are Basil, who knows pasta.\nYour sauce is red." },
      "knowledge/KNOWLEDGE.md": { text: 'Ask "How long does pasta cook?"' },
    };
    const talk = talkOver(files);
    expect((await talk.say("hello")).answer).toContain("I am Basil.");
    const { answer } = await talk.say("who are you?");
    expect(answer).toContain("I am Basil, who knows pasta. My sauce is red.");
    expect(answer).toContain("- How long does pasta cook?");
  });

  it.each<[ToolStatus, RegExp]>([
    ["error", /failed:/],
    ["denied", /was not allowed:/],
    ["interrupted", /was interrupted before it could finish:/],
    ["unknown", /whether it had its effect is not known:/],
  ])("says it when a call ended as %s", async (status, words) => {
    const call = { type: "tool-call", call: "c1", name: "current_time", input: "{}" } as const;
    const messages: ModelMessage[] = [
      { role: "user", content: [{ type: "text", text: "what time is it?" }] },
      { role: "assistant", parts: [call] },
      {
        role: "tool",
        results: [
          { call: "c1", name: "current_time", status, content: [{ type: "text", text: "why" }] },
        ],
      },
    ];
    const model = createOfflineModel({ clock: timeless });
    const step = await ask(model, {
      system: "",
      messages,
      tools: [{ name: "current_time", description: "", inputSchema: {} }],
    });
    expect(step.calls).toEqual([]);
    expect(step.text).toMatch(words);
    expect(step.text).toContain("why");
  });
});
