import { describe, expect, it } from "vitest";
import { createTemplate } from "../src/workspace/layers/template.ts";
import { promptOver, seedFiles, talkOver } from "./support/talk.ts";

const files = seedFiles();

describe("the seed workspace", () => {
  it("is in the prompt whole: nothing of it is cut", () => {
    const prompt = promptOver(createTemplate(files, "v"));
    expect(prompt).not.toContain("cut here");
    expect(prompt).toContain("You are Carrel");
    for (const path of Object.keys(files).filter((name) => name.startsWith("knowledge/"))) {
      expect(prompt).toContain(`- ${path}\n`);
    }
  });

  it("describes every knowledge file in its index", () => {
    const index = files["knowledge/KNOWLEDGE.md"]?.text ?? "";
    const names = Object.keys(files).flatMap(
      (path) => /^knowledge\/(?!KNOWLEDGE)(.*)$/.exec(path)?.[1] ?? [],
    );
    expect(names).toHaveLength(7);
    for (const name of names) expect(index).toContain(`\`${name}\`: `);
  });

  it("is written in paragraphs that stand alone: two to five sentences, one line each", () => {
    const paragraphs = Object.entries(files)
      .filter(([path]) => /^knowledge\/(?!KNOWLEDGE)/.test(path))
      .flatMap(([, { text }]) => text.split(/\n\n+/).map((paragraph) => paragraph.trim()))
      .filter((paragraph) => !paragraph.startsWith("#"));
    expect(paragraphs.length).toBeGreaterThan(35);
    for (const paragraph of paragraphs) {
      expect(paragraph.split("\n")).toHaveLength(1);
      expect(paragraph.match(/[.;](?= |$)/g)?.length, paragraph).toBeGreaterThanOrEqual(2);
      expect(paragraph.match(/[.](?= |$)/g)?.length, paragraph).toBeLessThanOrEqual(5);
    }
  });

  it.each([
    ["how does a turn survive a crash?", "turns", "already in the journal"],
    ["what happens when I close the tab?", "turns", "does not stop a turn"],
    ["Can I reload the page while it is answering?", "turns", "picks the stream up where it is"],
    ["what happens to a tool call that was interrupted?", "turns", "outcome is unknown"],
    ["how do I stop an answer?", "turns", "The stop button ends the running turn"],
    ["how many steps can a turn take?", "turns", "at most 10 steps"],
    [
      "what happens if I send a second message while a turn is running?",
      "turns",
      "waits in a queue",
    ],
    ["what if the provider is overloaded?", "turns", "tried again after a short wait"],
    ["which models can I use?", "models", "`openai:NAME`"],
    ["can I use ollama?", "models", "OPENAI_COMPATIBLE_BASE_URL"],
    ["How do I deploy this?", "models", "npm run deploy"],
    ["Where do I put my API key?", "models", ".dev.vars"],
    ["what is the offline model?", "models", "a set of rules built into Carrel"],
    ["where are files stored?", "workspace", "bundled into the Worker"],
    ["what is AGENTS.md for?", "workspace", "is the persona"],
    ["how do I change the persona?", "workspace", "edit the files in `seed-workspace/`"],
    ["does it have long-term memory?", "memory", "long-term memory in two parts"],
    ["how do you remember things?", "memory", "saves that at once"],
    ["how do I make it forget something?", "memory", "asks you before anything is removed"],
    ["where did you learn that?", "memory", "Every remembered entry knows its source"],
    ["how long is memory kept?", "memory", "Ledgers older than 90 days"],
    ["what is planned for subagents?", "workspace", "Subagents are planned"],
    ["How do I add a skill?", "skills", "put its directory into `skills/`"],
    ["what happens to unused skills?", "skills", "was not used for 30 days"],
    ["can the agent change files?", "workspace", "its own working files only"],
    ["what happens when I delete a file?", "workspace", "Deleting a file hides it"],
    ["how large may a workspace be?", "workspace", "2,000 files and 100 MiB"],
    ["who shares the files of an agent?", "workspace", "isolation scope"],
    ["how many earlier versions of a file are kept?", "workspace", "newest 50 earlier versions"],
    ["how do I read and write files over HTTP?", "http-api", "/v1/agents/main/files"],
    ["how do I send a message over HTTP?", "http-api", "/turns"],
    ["does it work with useChat?", "http-api", "POST /api/chat"],
    ["what does an idempotency key do?", "http-api", "is the same turn"],
    ["what is a session?", "turns", "A session is one conversation"],
    ["tell me about turns", "turns", "A turn is one message of yours"],
    ["explain how long conversations are handled", "turns", "Long conversations are cut"],
    ["does it support MCP?", "workspace", "MCP servers"],
    ["How can I give it new knowledge?", "workspace", "add new knowledge"],
    ["can other users see my conversations?", "http-api", "never see each other"],
    ["what is a step?", "turns", "A step is one round of a turn"],
    ["which providers are supported?", "models", "models of these providers"],
    ["how do I resume the stream of events?", "http-api", "Last-Event-ID"],
    ["how do approvals work?", "approvals", "does not run before you approved it"],
    ["what happens when I approve a call twice?", "approvals", "it runs once"],
    ["what happens when I deny a call?", "approvals", "it does not run"],
    ["how long does an approval wait?", "approvals", "for 7 days"],
    ["what does always allow do?", "approvals", "keeps a rule in the conversation"],
    ["which permission modes are there?", "approvals", "`DONT_ASK` denies whatever would be asked"],
    ["what are permission rules?", "approvals", "A deny rule wins over everything else"],
    ["what is a dangerous call?", "approvals", "safety net for mistakes"],
    ["can I get a webhook when a call waits?", "approvals", "APPROVAL_WEBHOOK_URL"],
    ["what is a tool that the client runs?", "approvals", "defineClientTool"],
    ["how does steering work?", "turns", "taken into the running turn before its next step"],
    ["how do I delete a session?", "http-api", "Its id answers 410"],
    ["how does structured output work?", "http-api", "an answer as JSON"],
    ["how do I list my sessions over HTTP?", "http-api", "GET `/v1/agents/main/sessions`"],
    ["how do I answer a call over HTTP?", "http-api", "status.pending"],
  ])('answers "%s" from %s.md', async (question, file, phrase) => {
    const { answer } = await talkOver(files).say(question);
    const [first, rest] = answer.split("\n\nSource: ");
    expect(first).toContain(phrase);
    expect(rest).toMatch(new RegExp(`^knowledge/${file}\\.md`));
  });

  it.each(["what is the capital of France?", "who won the cup in 1954?", "how do I bake bread?"])(
    'has no answer to "%s", and says so',
    async (question) => {
      const { answer, steps } = await talkOver(files).say(question);
      expect(answer).toContain("I found nothing about that");
      expect(answer).not.toContain("Source:");
      expect(steps.length).toBeLessThanOrEqual(4);
    },
  );
});
