import { describe, expect, it } from "vitest";
import { checkDefinition } from "../src/check-definition.ts";
import type { AgentDefinition } from "../src/define-agent.ts";
import { createDeployment } from "../src/harness.ts";

type Options = Omit<AgentDefinition, "id">;

const bytes = new Uint8Array([0x89, 0x50, 0, 0xff]);

describe("checkDefinition", () => {
  const check = (options: Options) => () => checkDefinition({ id: "main", ...options });

  it("accepts what can work", () => {
    expect(check({})).not.toThrow();
    const all: Options = {
      name: "Carrel",
      description: "d".repeat(1_000),
      environmentMemory: "e".repeat(8_000),
      maxContextTokens: 200_000,
      systemPrompt: "s".repeat(12_000),
      model: "openai-compatible:qwen3:8b",
      limits: { maxIters: 1_000, maxTurnTokens: 1 },
      dailyTokens: 1_000,
      compaction: { triggerMessages: 20, prune: null },
      disableCompaction: true,
      modelRetry: { attempts: 1, minDelayMs: 0, random: () => 0 },
      modelInactivityMs: 3_600_000,
      telemetry: { spans: true, payloads: false },
      isolationScope: "AGENT",
      files: { "AGENTS.md": "", "/skills/a/SKILL.md": "x", "logo.png": bytes },
      additionalContextFiles: ["SOUL.md", "memory/people.md"],
      permissions: {
        mode: "EXPLORE",
        modes: ["EXPLORE", "DEFAULT"],
        approvalExpiresMs: 60_000,
        deny: [{ tool: "*", path: "secret/**" }],
        ask: [],
      },
    };
    expect(check(all)).not.toThrow();
  });

  it.each<[string, Options, RegExp]>([
    ["a blank name", { name: " " }, /name is blank/],
    ["a long name", { name: "n".repeat(257) }, /name has 257 characters, at most 256/],
    ["a long description", { description: "d".repeat(1_001) }, /description has 1001/],
    ["long environment memory", { environmentMemory: "e".repeat(8_001) }, /at most 8000/],
    ["no tokens", { maxContextTokens: 0 }, /maxContextTokens is 0\. Use a whole number/],
    ["half tokens", { maxContextTokens: 1.5 }, /maxContextTokens is 1\.5/],
    ["a long system prompt", { systemPrompt: "s".repeat(12_001) }, /systemPrompt has 12001/],
    ["a model of nobody", { model: "nonsense" }, /no model "nonsense"\. Write openai:NAME/],
    ["an unknown provider", { model: "acme:big" }, /no model "acme:big"/],
    ["a provider alone", { model: "openai:" }, /"openai" needs the name of a model/],
    ["a blank model", { model: " " }, /no model ""/],
    ["a limit below 1", { limits: { maxIters: -1 } }, /limits\.maxIters is -1\. Use a whole/],
    ["no end of steps", { limits: { maxIters: Infinity } }, /maxIters is Infinity/],
    ["a limit that is none", { limits: { toolTimeoutMs: Number.NaN } }, /toolTimeoutMs is NaN/],
    ["a long timeout", { limits: { noProgressMs: 3_600_001 } }, /from 1 to 3600000/],
    ["a day of nothing", { dailyTokens: 0 }, /dailyTokens is 0\. Use a whole number from 1000/],
    ["a budget of no number", { dailyTokens: Number.NaN }, /dailyTokens is NaN/],
    ["half a message", { compaction: { keepMessages: 2.5 } }, /compaction\.keepMessages is 2\.5/],
    ["what is never cut", { compaction: { keepMessages: 51 } }, /shorter at 50 messages\. Keep at/],
    [
      "no messages to sum up",
      { compaction: { summaryPrompt: "Sum up." } },
      /hold \{messages\} exac/,
    ],
    [
      "a summary by nobody",
      { compaction: { model: "acme:big" } },
      /compaction\.model: .*"acme:big"/,
    ],
    [
      "a least above the most",
      { compaction: { keepTokensMin: 9_000 } },
      /keepTokensMin is 9000, m/,
    ],
    ["no attempts", { modelRetry: { attempts: 0 } }, /modelRetry\.attempts is 0/],
    ["a wait before now", { modelRetry: { minDelayMs: -1 } }, /minDelayMs is -1/],
    ["patience below 1 ms", { modelInactivityMs: -5 }, /modelInactivityMs is -5/],
    ["spans of a kind", { telemetry: { span: true } as object }, /no option telemetry\.span\. Use/],
    ["half payloads", { telemetry: { payloads: "no" } as object }, /payloads is no\. Use true or/],
    ["many tokens", { maxContextTokens: 200_001 }, /from 1 to 200000/],
    ["a path out of the root", { files: { "../x": "" } }, /files has the path "\.\.\/x"\. A path/],
    ["a directory", { files: { "knowledge/": "" } }, /It is a directory/],
    ["the root", { additionalContextFiles: ["/"] }, /additionalContextFiles has the path "\/"/],
    ["a file twice", { files: { "a.md": "", "/a.md": "" } }, /files names a\.md twice/],
    ["a user's file", { files: { "MEMORY.md": "" } }, /MEMORY\.md, but memory and records belong/],
    ["a record", { files: { "agents/main/x": "" } }, /agents\/main\/x, but/],
    [
      "a huge file",
      { files: { "a.bin": new Uint8Array(26 * 1024 * 1024) } },
      /a\.bin with more than 25 MiB/,
    ],
    ["own files under GLOBAL", { isolationScope: "GLOBAL", files: { "a.md": "" } }, /GLOBAL/],
    ["what is in already", { additionalContextFiles: ["MEMORY.md"] }, /in every prompt already/],
    ["a session's record", { additionalContextFiles: ["plans/s/PLAN.md"] }, /is a record/],
    [
      "many files",
      { additionalContextFiles: Array.from({ length: 17 }, (_, at) => `${at}.md`) },
      /17 files, at most 16/,
    ],
    ["no modes", { permissions: { modes: [] } }, /mode is DEFAULT, which is not among/],
    [
      "a mode that cannot be chosen",
      { permissions: { mode: "BYPASS", modes: ["DEFAULT"] } },
      /permissions\.mode is BYPASS, which is not among permissions\.modes\. Name it there, or choose one of DEFAULT\./,
    ],
    [
      "a question that hardly waits",
      { permissions: { approvalExpiresMs: 59_999 } },
      /permissions\.approvalExpiresMs is 59999\. Use a whole number from 60000 to 31536000000\./,
    ],
    ["an endless wait", { permissions: { approvalExpiresMs: Infinity } }, /is Infinity/],
    [
      "a rule that cannot be read",
      { permissions: { deny: [{ tool: "a" }, { tool: "execute", command: "rm; ls" }] } },
      /permissions\.deny\.1\.command must be the first words of one command/,
    ],
    [
      "a rule for no tool",
      { permissions: { allow: [{ tool: "" }] } },
      /allow\.0\.tool must have 1/,
    ],
    [
      "many rules",
      { permissions: { ask: Array.from({ length: 101 }, () => ({ tool: "a" })) } },
      /permissions\.ask must have at most 100 rules/,
    ],
  ])("refuses %s at start, and says what to change", (_, options, message) => {
    expect(check(options)).toThrow(message);
    expect(check(options)).toThrow('The agent "main" is not defined well. ');
  });

  it.each(["allow", "ask", "deny"] as const)(
    "[A10] refuses a broken rule to %s at start, and says where it stands and what a rule is",
    (kind) => {
      for (const [rule, where] of [
        [{ tool: "" }, "1.tool must have 1 to"],
        [{ tool: "a", command: "$(x)" }, "1.command must be the first words"],
        [{ tool: "a", path: "../x" }, "1.path must be a glob from the root"],
        [{ tool: "a", origin: "example" }, "1.origin must be an origin"],
        [{ tool: "a", path: "x", command: "y" }, "1 must have at most one of"],
        [JSON.parse('{"tool":"a","paths":"x"}'), "1 has a field that no rule has"],
        [null as never, "1 must be a rule"],
      ] as const) {
        const permissions = { [kind]: [{ tool: "a" }, rule] };
        const start = () => createDeployment([{ id: "main", permissions }]);
        expect(start).toThrow(`permissions.${kind}.${where}`);
      }
    },
  );

  it.each([
    ['{"id":"main","sysPrompt":"Be kind."}', /no option sysPrompt\. Use one of id, name,/],
    ['{"id":"main","limits":{"maxSteps":3}}', /no option limits\.maxSteps\. Use one of maxIters,/],
    ['{"id":"main","compaction":{"keep":3}}', /no option compaction\.keep\./],
    ['{"id":"main","modelRetry":{"tries":3}}', /no option modelRetry\.tries\./],
    ['{"id":"main","limits":{"maxIters":"3"}}', /limits\.maxIters is 3/],
    ['{"id":"main","permissions":{"rules":[]}}', /no option permissions\.rules\. Use one of mode,/],
    [
      '{"id":"main","permissions":{"mode":"YOLO"}}',
      /mode "YOLO"\. Use one of DEFAULT, ACCEPT_EDITS,/,
    ],
    ['{"id":"main","permissions":{"deny":{}}}', /permissions\.deny must be a list of rules\./],
  ])("refuses an option that does not exist: %s", (json, message) => {
    expect(() => checkDefinition(JSON.parse(json) as AgentDefinition)).toThrow(message);
  });

  it("is asked at start, of every agent", () => {
    const start = () => createDeployment([{ id: "main" }, { id: "b", model: "nonsense" }]);
    expect(start).toThrow(/The agent "b" is not defined well\. There is no model "nonsense"/);
  });

  it("refuses an id that could not be in a route, and a scope that does not exist", () => {
    expect(() => checkDefinition({ id: "a/b" })).toThrow(/The id must be/);
    const scope = JSON.parse('{"id":"main","isolationScope":"TEAM"}') as AgentDefinition;
    expect(() => checkDefinition(scope)).toThrow(/Use one of SESSION, USER, AGENT, GLOBAL/);
  });
});
