import { describe, expect, it } from "vitest";
import { parseStateDocument } from "../../src/session/state-document.ts";

describe("the rules of a state document", () => {
  it.each(["allow_rules", "ask_rules", "deny_rules"])(
    "[A10] in %s are refused under a key that would be left out: less would be denied",
    (kind) => {
      const rules = '{"__proto__":[{"tool_name":"shell"}],"read_file":[{}]}';
      const state: unknown = JSON.parse(
        `{"permission_context":{"mode":"DEFAULT","${kind}":${rules}}}`,
      );
      expect(() => parseStateDocument(state)).toThrow(
        `permission_context.${kind}: must have no key "__proto__"`,
      );
    },
  );

  it.each([[undefined], [null], [{}], [{ constructor: [{ tool_name: "constructor" }] }]])(
    "are taken where they are %j",
    (deny_rules) => {
      const state = { permission_context: { mode: "DEFAULT", deny_rules } };
      expect(parseStateDocument(state).permission_context?.deny_rules).toEqual(deny_rules);
    },
  );
});
