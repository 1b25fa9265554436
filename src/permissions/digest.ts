import type { Effect, Rules } from "../shared/permissions.ts";
import { sha256Hex } from "../shared/sha256.ts";
import { canonicalJson } from "./canonical-json.ts";

/** What a question is about: a tool as it is, the arguments that would run, and the operator's rules. */
export type Digested = {
  readonly tool: {
    readonly name: string;
    readonly description: string;
    readonly effect: Effect;
    readonly inputSchema: Readonly<Record<string, unknown>>;
    readonly replay?: string;
    readonly runsOn?: string;
  };
  readonly input: unknown;
  readonly operator: Rules;
  /** What it is bound to beside. */
  readonly binds?: string;
};

/** Stands for all of it, hex: another one as soon as anything of it changed, whatever the order of an object's keys. */
export function callDigest({ tool, input, operator, binds }: Digested): Promise<string> {
  const { name, description, effect, inputSchema, replay, runsOn } = tool;
  const { allow, ask, deny } = operator;
  const text = canonicalJson({
    tool: { name, description, effect, inputSchema, replay, runsOn },
    input,
    operator: { allow, ask, deny },
    ...(binds === undefined ? {} : { binds }),
  });
  return sha256Hex(new TextEncoder().encode(text));
}
