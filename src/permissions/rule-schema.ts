import * as z from "zod";
import { permissionModes, type Rule } from "../shared/permissions.ts";
import { MAX_RULE_TEXT, narrowingOf } from "./compile-rule.ts";

/** Rules of one kind. */
const MAX_RULES = 100;

const length = `must have 1 to ${MAX_RULE_TEXT} characters`;

const text = z.string("must be a text").min(1, length).max(MAX_RULE_TEXT, length);

const clean = text.regex(
  /^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}]*$/u,
  "must not have line breaks or control characters",
);

const Narrowed = z.strictObject(
  {
    tool: clean,
    path: clean.optional(),
    command: clean.optional(),
    origin: clean.optional(),
    argument: z
      .strictObject({
        name: clean.regex(/^[^=]*$/, 'must not have "=" in it'),
        value: text,
      })
      .optional(),
  },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? 'has a field that no rule has; use "tool" and at most one of "path", "command", "origin" and "argument"'
        : 'must be a rule, such as {"tool": "write_file", "path": "notes/**"}',
  },
);

const HELP: Readonly<Record<string, string>> = {
  path: "must be a glob from the root, such as notes/** or **/*.md: without .., each { closed, and at most 64 alternatives",
  command:
    "must be the first words of one command, such as git status: no ;, |, $, redirections, open quotes or variables",
  origin:
    "must be an origin without a path, such as https://api.example.com or https://*.example.com",
};

/** One rule as it comes from outside. */
export const RuleSchema = Narrowed.transform((given, context): Rule => {
  const { tool, path, command, origin, argument } = given;
  const rule: Rule =
    path !== undefined
      ? { tool, path }
      : command !== undefined
        ? { tool, command }
        : origin !== undefined
          ? { tool, origin }
          : argument !== undefined
            ? { tool, argument }
            : { tool };
  const narrowed = [path, command, origin, argument].filter((part) => part !== undefined).length;
  if (narrowed > 1)
    context.addIssue({
      code: "custom",
      message: "must have at most one of path, command, origin and argument; make a rule of each",
    });
  else if (narrowingOf(rule).kind === "broken")
    for (const field of Object.keys(HELP).filter((name) => name in rule))
      context.addIssue({ code: "custom", path: [field], message: HELP[field] ?? "" });
  return rule;
}) satisfies z.ZodType<Rule>;

/** Rules of one kind, at most 100. */
export const RuleListSchema = z
  .array(RuleSchema, "must be a list of rules")
  .max(MAX_RULES, `must have at most ${MAX_RULES} rules; join some with * or {a,b}`);

/** One of the modes. */
export const ModeSchema = z.enum(permissionModes, `must be one of ${permissionModes.join(", ")}`);

const lists = { allow: RuleListSchema, ask: RuleListSchema, deny: RuleListSchema } as const;

/** What a session holds, as it is stored or imported. */
export const PermissionsSchema = z.strictObject({ mode: ModeSchema, ...lists });

/** A change of it: what is absent stays. */
export const PermissionsChangeSchema = PermissionsSchema.partial();
