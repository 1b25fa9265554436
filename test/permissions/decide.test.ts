import { describe, expect, it } from "vitest";
import { decide, type DecidedBy, type Decision } from "../../src/permissions/decide.ts";
import { permissionModes, type PermissionMode, type Rules } from "../../src/shared/permissions.ts";
import { ask, type Asked, question } from "./asking.ts";

const effects = ["read", "write", "external"] as const;
const rule = { tool: "use" };

const verdicts = {
  pass: { verdict: "pass" },
  allow: { verdict: "allow" },
  deny: { verdict: "deny", reason: "no" },
  ask: { verdict: "ask", reason: "sure?", safety: false },
  safety: { verdict: "ask", reason: "careful", safety: true },
} as const;

type Verdict = keyof typeof verdicts;

/**
 * What happens without rules and gates, by what the tool says and for `read write external`: A runs, D is denied, ? asks,
 * ! asks in a way that no allow rule spares.
 */
const plain: Readonly<Record<PermissionMode, Readonly<Record<Verdict, string>>>> = {
  DEFAULT: { pass: "AA?", allow: "AAA", deny: "DDD", ask: "???", safety: "!!!" },
  ACCEPT_EDITS: { pass: "AA?", allow: "AAA", deny: "DDD", ask: "AA?", safety: "!!!" },
  EXPLORE: { pass: "ADD", allow: "ADD", deny: "DDD", ask: "ADD", safety: "!DD" },
  BYPASS: { pass: "AAA", allow: "AAA", deny: "DDD", ask: "AAA", safety: "!!!" },
  DONT_ASK: { pass: "AA?", allow: "AAA", deny: "DDD", ask: "???", safety: "!!!" },
};

type Case = {
  readonly mode: PermissionMode;
  readonly effect: (typeof effects)[number];
  readonly client: boolean;
  readonly says: Verdict;
  readonly danger: boolean;
  readonly deny: Whose;
  readonly gate: boolean;
  readonly ask: Whose;
  readonly allow: Whose;
};

const whose = ["nobody", "operator", "session"] as const;
type Whose = (typeof whose)[number];
const both = [false, true] as const;

function* cases(): Generator<Case> {
  for (const mode of permissionModes)
    for (const effect of effects)
      for (const client of both)
        for (const says of Object.keys(verdicts) as Verdict[])
          for (const danger of both)
            for (const deny of whose)
              for (const gate of both)
                for (const askRule of whose)
                  for (const allow of whose)
                    yield { mode, effect, client, says, danger, deny, gate, ask: askRule, allow };
}

function expected(given: Case): Decision["kind"] {
  const { mode, effect, client, says, danger, deny, gate, allow } = given;
  if (deny !== "nobody" || gate) return "deny";
  const unasked = mode === "DONT_ASK" ? "deny" : "ask";
  if (given.ask !== "nobody") return unasked;
  const isDangerous = danger && effect !== "read" && says !== "deny";
  const sign = plain[mode][isDangerous ? "safety" : says][effects.indexOf(effect)];
  if (sign === "A") return "allow";
  if (sign === "D") return "deny";
  if (sign === "!") return unasked;
  const isSpared = allow !== "nobody" || (client && says === "pass");
  return isSpared ? "allow" : unasked;
}

const rules = (given: Case, owner: Whose): Rules => ({
  allow: given.allow === owner ? [rule] : [],
  ask: given.ask === owner ? [rule] : [],
  deny: given.deny === owner ? [rule] : [],
});

const asked = (given: Case): Asked => ({
  effect: given.effect,
  runsOn: given.client ? "client" : "server",
  subjects: { paths: [given.danger ? "notes/.env" : "notes/a.md"] },
  verdict: verdicts[given.says],
  mode: given.mode,
  operator: rules(given, "operator"),
  session: rules(given, "session"),
  ...(given.gate ? { gate: "plan first" } : {}),
});

describe("decide", () => {
  it("[A1] decides each of all combinations of modes, effects, rules, gates and checks as the table says", () => {
    let count = 0;
    const wrong: unknown[] = [];
    for (const given of cases()) {
      count += 1;
      const decision = ask(asked(given));
      if (decision.kind !== expected(given)) wrong.push({ ...given, decision });
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(count).toBe(16_200);
  });

  /** What makes each step have an answer, in their order. */
  const steps: readonly (readonly [DecidedBy, Asked])[] = [
    ["deny rule", { session: { deny: [rule] } }],
    ["gate", { gate: "plan first" }],
    ["ask rule", { operator: { ask: [rule] } }],
    ["mode", { mode: "EXPLORE" }],
    ["tool", { verdict: verdicts.deny }],
    ["safety", { subjects: { paths: [".ssh/config"] } }],
    ["allow rule", { operator: { allow: [rule] } }],
    ["bypass", { mode: "BYPASS" }],
    ["default", {}],
  ];
  const pairs = steps.flatMap(([first, one], at) =>
    steps.slice(at + 1).map(([second, other]) => [first, second, { one, other }] as const),
  );

  it.each(pairs.filter(([first, second]) => first !== "mode" || second !== "bypass"))(
    "[A1] %s goes before %s",
    (first, second, { one, other }) => {
      const merged: Asked = {
        ...other,
        ...one,
        operator: { ...other.operator, ...one.operator },
        session: { ...other.session, ...one.session },
      };
      expect(ask(other).by).toBe(second);
      expect(ask(merged).by).toBe(first);
    },
  );

  it("[A2] runs reads and changes of the own workspace and asks for anything else, when nobody chose", () => {
    expect(effects.map((effect) => ask({ effect }).kind)).toEqual(["allow", "allow", "ask"]);
    expect(ask({ effect: "external", runsOn: "client" })).toEqual({ kind: "allow", by: "default" });
  });

  it("[A2] asks in no way at all in DONT_ASK, and tells the model what to do instead", () => {
    const asking: Asked[] = [
      {},
      { session: { ask: [rule] } },
      { operator: { ask: [rule] }, effect: "read" },
      { verdict: verdicts.ask },
      { verdict: verdicts.safety },
      { subjects: { paths: [".env"] } },
    ];
    for (const one of asking) {
      expect(ask(one).kind).toBe("ask");
      expect(ask({ ...one, mode: "DONT_ASK" })).toMatchObject({
        kind: "deny",
        by: ask(one).by,
        reason: expect.stringMatching(/asks nobody\. Go on without it/),
      });
    }
  });

  it("[A2] still asks for what is dangerous in BYPASS and in ACCEPT_EDITS", () => {
    for (const mode of ["BYPASS", "ACCEPT_EDITS"] as const)
      expect(ask({ effect: "write", mode, subjects: { paths: ["a/.env"] } })).toEqual({
        kind: "ask",
        by: "safety",
        reason: "It touches a/.env, which may hold passwords or keys.",
        suggested: [],
      });
  });

  it("says to the model what it can do, and nothing of anybody's rules", () => {
    const hidden = { tool: "use", argument: { name: "to", value: "*@rival.example" } };
    const denied = ask({ input: { to: "a@rival.example" }, operator: { deny: [hidden] } });
    expect(denied).toMatchObject({ kind: "deny", by: "deny rule" });
    expect(JSON.stringify(denied)).not.toContain("rival");
    expect(ask({ mode: "EXPLORE" })).toMatchObject({ reason: expect.stringMatching(/only reads/) });
    expect(ask({ gate: "Write the plan first." })).toMatchObject({
      reason: "Write the plan first.",
    });
  });

  it("asks a person with the reason of the step that asks", () => {
    expect(ask({})).toMatchObject({ reason: "use has an effect outside of the workspace." });
    expect(ask({ verdict: verdicts.ask })).toMatchObject({ by: "tool", reason: "sure?" });
    expect(ask({ operator: { ask: [rule] } })).toMatchObject({
      reason: "A rule asks before use runs with these arguments.",
      suggested: [],
    });
  });

  it("gives the same answer each time, and changes nothing", () => {
    const one = Object.freeze(question({ input: Object.freeze({ path: "a" }) }));
    expect(decide(one)).toEqual(decide(one));
  });
});
