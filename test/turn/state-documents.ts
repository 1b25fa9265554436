import * as fc from "fast-check";

const PNG = "iVBORw0KGgo=";

const text = fc.record({
  type: fc.constant("text"),
  text: fc.constantFrom("", "hi", "</x>", "漢"),
});
const image = fc.constantFrom(
  { type: "data", media_type: "image/png", data: PNG },
  { type: "data", source: { type: "base64", media_type: "image/png", data: PNG } },
  { type: "data", source: { type: "url", url: "https://example.com/a.png" } },
);
const id = fc.constantFrom("c1", "c2", "c3", "", "import-call-1");
const call = fc.record({
  type: fc.constant("tool_use"),
  id,
  name: fc.constantFrom("a", "b"),
  input: fc.constantFrom({}, { path: "x" }, null),
});
const result = fc.record({
  type: fc.constant("tool_result"),
  id,
  name: fc.constantFrom("a", ""),
  output: fc.oneof(fc.constant("plain"), fc.array(fc.oneof(text, image), { maxLength: 2 })),
  state: fc.constantFrom("success", "error", "denied", "interrupted", "running", "x"),
});
const thinking = fc.record({ type: fc.constant("thinking"), thinking: fc.constantFrom("", "hm") });
const hint = fc.constant({ type: "hint", anything: [1] });

const message = fc.record({
  role: fc.constantFrom("USER", "ASSISTANT", "SYSTEM", "TOOL", "assistant"),
  content: fc.oneof(
    fc.constantFrom("", "plain text"),
    fc.array(fc.oneof(text, image, call, result, thinking, hint), { maxLength: 5 }),
  ),
  timestamp: fc.constantFrom("2026-01-02 03:04:05.006", "yesterday", undefined),
  metadata: fc.constant({ a: 1 }),
});

const rule = (behavior: string) => ({
  tool_name: "write_file",
  rule_content: "path:notes/**",
  behavior,
  source: "session",
});

/** State documents as somebody might put them in: any order of roles, blocks without their counterpart, odd ids. */
export const stateDocuments = fc.record({
  session_id: fc.constant("other"),
  user_id: fc.constant("mallory"),
  summary: fc.constantFrom("", "They spoke of ships."),
  context: fc.array(message, { maxLength: 12 }),
  permission_context: fc.constantFrom(
    {
      mode: "EXPLORE",
      working_directories: ["/a"],
      allow_rules: {},
      deny_rules: {},
      ask_rules: {},
    },
    {
      mode: "DEFAULT",
      working_directories: [],
      allow_rules: { write_file: [rule("ALLOW"), { ...rule("ALLOW"), rule_content: null }] },
      deny_rules: {
        "shell*": [{ ...rule("DENY"), tool_name: "shell*", rule_content: "command:rm -rf" }],
      },
      ask_rules: {
        send: [{ ...rule("ASK"), tool_name: "send", rule_content: "argument:a=x=*" }],
      },
    },
  ),
  tool_context: fc.constantFrom({ activated_groups: ["a"], spawn_registry: { x: 1 } }),
  tasks_context: fc.constantFrom({ tasks: [{ id: "1", subject: "ship" }] }),
  plan_mode_context: fc.constantFrom({ plan_active: true, current_plan_file: "PLAN.md" }),
});
