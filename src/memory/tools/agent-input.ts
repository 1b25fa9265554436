import * as z from "zod";
import { CarrelError } from "../../shared/errors.ts";
import { parseId } from "../../shared/ids.ts";

const idInput = (what: string) =>
  z.string().transform((raw, context) => {
    try {
      return parseId(what, raw);
    } catch (error) {
      if (!(error instanceof CarrelError)) throw error;
      context.addIssue({ code: "custom", message: error.message });
      return z.NEVER;
    }
  });

/** Whose sessions. */
export const agentInput = idInput("The agent id")
  .optional()
  .describe("The agent whose sessions are meant. Default: you.");

/** Which session. */
export const sessionInput = idInput("The session id").describe(
  "The session, as session_list or session_search names it.",
);

/** What to look for. */
export const queryInput = z
  .string()
  .transform((text) => text.trim())
  .refine((text) => text !== "", { message: "it is blank. Say in a few words what to look for" })
  .describe("Words to look for, in any order and any language.");

/** Where the sessions of an agent are kept, for permission rules too; without one those of all agents. */
export const sessionsOf = (agent: string | undefined): string =>
  agent === undefined ? "agents" : `agents/${agent}/sessions`;
