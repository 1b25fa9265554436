import * as z from "zod";
import { CarrelError } from "../../src/shared/errors.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import type { Replay, ServerTool } from "../../src/tools/tool.ts";

/** What tools did to the world outside: it survives the session's crashes. */
export type Effects = {
  /** Every time that a tool's body ran, as `name:label`, in order. */
  readonly runs: string[];
  /** What a tool that honours its key did, by key: running twice changes nothing. */
  readonly keyed: Map<string, string>;
};

export const createEffects = (): Effects => ({ runs: [], keyed: new Map() });

const Input = z.object({ label: z.string().default("x"), fail: z.boolean().default(false) });

/**
 * One tool for every replay class: `read_thing` (pure), `keyed_thing` (idempotent), `probed_thing` (checkable) and
 * `unsafe_thing`. `fail: true` makes the tool answer with an error.
 */
export function createScriptedTools(
  effects: Effects,
  pause: () => Promise<void> = () => Promise.resolve(),
): ServerTool[] {
  const make = (name: string, replay: Replay, isParallel: boolean): ServerTool =>
    defineTool({
      name,
      description: `Test tool, ${replay}.`,
      input: Input,
      effect: replay === "pure" ? "read" : "external",
      replay,
      parallel: isParallel,
      async run({ label, fail }, context) {
        // As with the model: an effect waits until everything stored before it is safe.
        await pause();
        effects.runs.push(`${name}:${label}`);
        if (replay !== "pure") effects.keyed.set(context.key, label);
        await pause();
        if (fail) throw new CarrelError("invalid", `${name} was told to fail.`);
        return `${name} did ${label}`;
      },
      ...(replay === "checkable"
        ? {
            probe: (_: unknown, context: { key: string }) =>
              Promise.resolve(
                effects.keyed.has(context.key) ? ("done" as const) : ("absent" as const),
              ),
          }
        : {}),
    });
  return [
    make("read_thing", "pure", true),
    make("keyed_thing", "idempotent", true),
    make("probed_thing", "checkable", false),
    make("unsafe_thing", "unsafe", false),
  ];
}
