import { readFrontMatter } from "../shared/front-matter/front-matter.ts";
import type { Value } from "../shared/front-matter/yaml.ts";
import { splitSkill } from "../shared/skill-head.ts";
import type { Declaration } from "../shared/subagents.ts";
import { cutAt } from "../shared/text.ts";
import { workspacePath } from "../workspace/layers/path.ts";
import { ruleOf } from "../workspace/layers/path-rules.ts";

/** Model calls of a subagent's turn where its declaration names none, as in AgentScope. */
export const DEFAULT_STEPS = 10;
const MAX_STEPS = 1_000;
const MAX_DESCRIPTION = 1_024;
const MAX_BODY = 24_000;
const MAX_NAMES = 200;

/** What the model may call a subagent. */
export const SUBAGENT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** `warnings`: what was read otherwise than it is written, or means nothing here. */
export type ParsedDeclaration =
  | {
      readonly kind: "declared";
      readonly declaration: Declaration;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "bad"; readonly why: string };

/** What a declaration that says nothing but what it is for has. */
export const declared = (
  given: Pick<Declaration, "id" | "description" | "body"> & Partial<Declaration>,
): Declaration => ({
  workspace: { mode: "isolated", path: null },
  model: null,
  steps: DEFAULT_STEPS,
  temperature: null,
  topP: null,
  mode: "all",
  hidden: false,
  exposeToUser: null,
  tools: null,
  skills: null,
  persistSession: false,
  inheritParentPermissions: true,
  ...given,
});

/** Fields of agents that run elsewhere, and of none that has an effect. */
const NOT_HERE: ReadonlyMap<string, string> = new Map([
  ["url", "a subagent that runs elsewhere is not run here yet"],
  ["headers", "a subagent that runs elsewhere is not run here yet"],
  ["variant", "it has no effect"],
]);

/**
 * Reads `subagents/<id>.md`: front matter, and below it the subagent's own prompt. Only a text without front matter or
 * description is `bad`; of a value that cannot be the default counts, with a warning. Never throws.
 */
export function parseDeclaration(id: string, text: string): ParsedDeclaration {
  if (!SUBAGENT_ID.test(id))
    return { kind: "bad", why: "Its name must be letters, digits, - and _, 64 at most." };
  const split = splitSkill(text);
  if (split.kind === "none") return { kind: "bad", why: split.why };
  const { values, warnings, refused } = readFrontMatter(split.frontMatter);
  const read = new Fields(values, [...warnings]);
  const description = read.text("description", MAX_DESCRIPTION);
  if (description === null)
    return {
      kind: "bad",
      why:
        refused === null
          ? "It has no description. Say what it is for."
          : `Its front matter is not YAML: ${refused}. Write each value in quotes.`,
    };
  for (const [key, why] of NOT_HERE) if (values.has(key)) read.warn(`${key} is left out: ${why}.`);
  const declaration = declared({
    id,
    description,
    body: cutAt(text.slice(split.bodyAt).trim(), MAX_BODY),
    workspace: workspaceOf(id, read),
    model: read.text("model", 200),
    steps: read.number(["steps", "maxIters"], 1, MAX_STEPS, true) ?? DEFAULT_STEPS,
    temperature: read.number(["temperature"], 0, 2, false),
    topP: read.number(["top_p", "topP"], 0, 1, false),
    mode: read.choice("mode", ["primary", "subagent", "all"]) ?? "all",
    hidden: read.flag(["hidden"]) ?? false,
    exposeToUser: read.flag(["expose_to_user", "exposeToUser"]),
    tools: read.names("tools"),
    skills: read.names("skills"),
    persistSession: read.flag(["persistSession", "persist_session"]) ?? false,
    inheritParentPermissions:
      read.flag(["inheritParentPermissions", "inherit_parent_permissions"]) ?? true,
  });
  return { kind: "declared", declaration, warnings: read.warnings };
}

function workspaceOf(id: string, read: Fields): Declaration["workspace"] {
  const given = read.map("workspace");
  const mode = given["mode"] ?? read.plain("workspace.mode") ?? "isolated";
  const path = given["path"] ?? read.plain("workspace.path") ?? null;
  const isKnown = mode === "isolated" || mode === "shared";
  if (!isKnown) read.warn("workspace.mode must be isolated or shared; it is isolated.");
  const own = typeof path === "string" ? ownDirectory(id, path) : null;
  if (path !== null && own === null)
    read.warn("workspace.path must be a directory of working files; it has the default.");
  return { mode: isKnown ? mode : "isolated", path: own };
}

/** A directory that may be a subagent's own: no definition, memory or record of anybody else. `null`: it may not. */
function ownDirectory(id: string, spelling: string): string | null {
  try {
    const path = workspacePath(spelling);
    const isOwn = path.startsWith(`agents/${id}/`) || ruleOf(path).kind === "working";
    return path !== "" && isOwn ? path : null;
  } catch {
    return null;
  }
}

/** The values of front matter, each as what it should be; what it cannot be is a warning. */
class Fields {
  readonly #values: ReadonlyMap<string, Value>;
  readonly warnings: string[];

  constructor(values: ReadonlyMap<string, Value>, warnings: string[]) {
    this.#values = values;
    this.warnings = warnings;
  }

  warn(text: string): void {
    this.warnings.push(text);
  }

  plain(key: string): unknown {
    return this.#values.get(key)?.plain ?? null;
  }

  text(key: string, most: number): string | null {
    const value = this.#values.get(key);
    const text = value?.text?.trim() ?? "";
    if (text !== "") return cutAt(text, most);
    if (value && value.plain !== null) this.warn(`${key} is no text, so it is left out.`);
    return null;
  }

  number(keys: readonly string[], least: number, most: number, isWhole: boolean): number | null {
    const key = keys.find((one) => this.plain(one) !== null);
    if (key === undefined) return null;
    const value = Number(this.#values.get(key)?.text ?? Number.NaN);
    const isGood = value >= least && value <= most && (!isWhole || Number.isInteger(value));
    if (isGood) return value;
    this.warn(`${key} must be a number from ${least} to ${most}; it has the default.`);
    return null;
  }

  choice<Choice extends string>(key: string, choices: readonly Choice[]): Choice | null {
    const text = this.#values.get(key)?.text?.trim().toLowerCase();
    if (text === undefined) return null;
    const found = choices.find((choice) => choice === text);
    if (found === undefined)
      this.warn(`${key} must be one of ${choices.join(", ")}; it has the default.`);
    return found ?? null;
  }

  flag(keys: readonly string[]): boolean | null {
    const key = keys.find((one) => this.plain(one) !== null);
    if (key === undefined) return null;
    const text = this.#values.get(key)?.text?.trim().toLowerCase();
    if (text === "true" || text === "false") return text === "true";
    this.warn(`${key} must be true or false; it has the default.`);
    return null;
  }

  /** A list, or a text with commas. */
  names(key: string): readonly string[] | null {
    const plain = this.plain(key);
    if (plain === null) return null;
    const list = typeof plain === "string" ? plain.split(",") : plain;
    if (!Array.isArray(list) || list.some((name) => typeof name !== "string")) {
      // What was meant to narrow must not widen.
      this.warn(`${key} must be a list of names; it has none of them.`);
      return [];
    }
    return list
      .map((name: string) => name.trim())
      .filter((name) => name !== "")
      .slice(0, MAX_NAMES);
  }

  map(key: string): Readonly<Record<string, unknown>> {
    const plain = this.plain(key);
    return typeof plain === "object" && plain !== null ? { ...plain } : {};
  }
}
