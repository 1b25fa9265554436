import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide, type Question } from "../../src/permissions/decide.ts";
import { permissionModes, type Rules } from "../../src/shared/permissions.ts";
import { noRules } from "./asking.ts";
import { commands, paths, rules, tools, urls } from "./rules-of-chance.ts";

const lists: fc.Arbitrary<Rules> = fc.record({
  allow: fc.array(rules, { maxLength: 3 }),
  ask: fc.array(rules, { maxLength: 2 }),
  deny: fc.array(rules, { maxLength: 2 }),
});

const subjects = fc.record(
  {
    paths: fc.array(paths, { maxLength: 2 }),
    within: fc.array(paths, { maxLength: 1 }),
    commands: fc.array(commands, { maxLength: 2 }),
    urls: fc.array(urls, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);

const inputs = fc.oneof(
  fc.record({ path: paths, command: commands, url: urls, body: fc.string() }, { requiredKeys: [] }),
  fc.record({ paths: fc.array(paths), body: commands }),
  fc.jsonValue(),
);

const questions: fc.Arbitrary<Question> = fc.record({
  tool: fc.record(
    {
      name: tools,
      effect: fc.constantFrom("read", "write", "external"),
      runsOn: fc.constantFrom("server", "client"),
    },
    { requiredKeys: ["name", "effect"] },
  ),
  input: inputs,
  call: fc.record(
    {
      subjects,
      verdict: fc.constantFrom(
        { verdict: "pass" },
        { verdict: "allow" },
        { verdict: "deny", reason: "no" },
        { verdict: "ask", reason: "?", safety: false },
        { verdict: "ask", reason: "!", safety: true },
      ),
    },
    { requiredKeys: [] },
  ),
  operator: lists,
  session: fc
    .tuple(lists, fc.constantFrom(...permissionModes))
    .map(([given, mode]) => ({ ...given, mode })),
  gate: fc.constantFrom(null, null, null, "plan first"),
});

const RUNS = { numRuns: 3_000 };

/** How much a decision lets through. */
const width = { deny: 0, ask: 1, allow: 2 } as const;

const widthOf = (question: Question): number => width[decide(question).kind];

const owners = fc.constantFrom("operator", "session");

const withRule = (
  question: Question,
  owner: "operator" | "session",
  kind: keyof Rules,
  rule: Rules["deny"][number],
): Question => ({
  ...question,
  [owner]: { ...question[owner], [kind]: [...question[owner][kind], rule] },
});

describe("decide, for any question", () => {
  it("[A1] denies what a deny rule is for, whatever else there is", () => {
    fc.assert(
      fc.property(questions, rules, owners, (question, rule, owner) => {
        const alone = { allow: [], ask: [], deny: [] };
        const stops =
          decide({
            ...question,
            operator: { ...alone, deny: [rule] },
            session: { ...alone, mode: "DEFAULT" },
          }).by === "deny rule";
        const decision = decide(withRule(question, owner, "deny", rule));
        if (stops) expect(decision).toMatchObject({ kind: "deny", by: "deny rule" });
      }),
      RUNS,
    );
  });

  it("[A1] lets no more through with another deny rule, or fewer allow rules", () => {
    fc.assert(
      fc.property(questions, rules, owners, (question, rule, owner) => {
        const before = widthOf(question);
        expect(widthOf(withRule(question, owner, "deny", rule))).toBeLessThanOrEqual(before);
        expect(widthOf(withRule(question, owner, "allow", rule))).toBeGreaterThanOrEqual(before);
        const allow = question[owner].allow.slice(1);
        const fewer = { ...question, [owner]: { ...question[owner], allow } };
        expect(widthOf(fewer)).toBeLessThanOrEqual(before);
      }),
      RUNS,
    );
  });

  it("[A1] runs nothing more without a question because of another ask rule", () => {
    fc.assert(
      fc.property(questions, rules, owners, (question, rule, owner) => {
        const after = decide(withRule(question, owner, "ask", rule));
        if (after.kind === "allow") expect(decide(question).kind).toBe("allow");
      }),
      RUNS,
    );
  });

  it("[A2] asks nothing in DONT_ASK, and runs there only what runs by itself", () => {
    fc.assert(
      fc.property(questions, (question) => {
        const silent = decide({ ...question, session: { ...question.session, mode: "DONT_ASK" } });
        const usual = decide({ ...question, session: { ...question.session, mode: "DEFAULT" } });
        expect(silent.kind).toBe(usual.kind === "ask" ? "deny" : usual.kind);
      }),
      RUNS,
    );
  });

  it("[A2] runs only reads in EXPLORE", () => {
    fc.assert(
      fc.property(questions, (question) => {
        const session = { ...question.session, mode: "EXPLORE" as const };
        const { kind } = decide({ ...question, session });
        if (question.tool.effect !== "read") expect(kind).not.toBe("allow");
      }),
      RUNS,
    );
  });

  it("[A7] suggests only rules that spare the question, and the last one is for the whole tool", () => {
    let suggestions = 0;
    fc.assert(
      fc.property(questions, (any) => {
        const session = { ...any.session, mode: "DEFAULT" as const, ask: [], deny: [] };
        const question = { ...any, session, operator: noRules, gate: null };
        const decision = decide(question);
        if (decision.kind !== "ask") return;
        const isSparable = decision.by === "tool" || decision.by === "default";
        expect(decision.suggested.length > 0).toBe(isSparable);
        for (const rule of decision.suggested) {
          suggestions += 1;
          expect(decide(withRule(question, "session", "allow", rule)).kind).toBe("allow");
          expect(rule.tool).toBe(question.tool.name);
        }
        if (isSparable) expect(decision.suggested.at(-1)).toEqual({ tool: question.tool.name });
      }),
      RUNS,
    );
    expect(suggestions).toBeGreaterThan(100);
  });

  it("decides about any arguments and any texts in rules without throwing", () => {
    const text = fc.string({ unit: "binary", maxLength: 30 });
    const anyRules = fc.array(
      fc.oneof(
        fc.record({ tool: text, path: text }),
        fc.record({ tool: fc.constant("*"), command: text }),
        fc.record({ tool: fc.constant("*"), origin: text }),
        fc.record({ tool: fc.constant("*"), argument: fc.record({ name: text, value: text }) }),
      ),
      { maxLength: 3 },
    );
    const shell = fc
      .array(fc.oneof(text, commands, fc.constantFrom("$(", "${", "`", "<<", "\\", "\0")))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(questions, anyRules, shell, fc.jsonValue(), (question, given, command, value) => {
        const session = { mode: "DEFAULT", allow: given, ask: given, deny: [] } as const;
        const input = { command, value, path: command };
        expect(width).toHaveProperty(decide({ ...question, input, session }).kind);
      }),
      RUNS,
    );
  });
});
