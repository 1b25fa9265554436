/**
 * Writes one structured line. Callers pass ids and codes, never secrets, and message texts or tool payloads only where
 * an agent's definition asks for them (`telemetry.payloads`); an error contributes its name and message only.
 */
export type Log = (
  level: "info" | "warn" | "error",
  event: string,
  facts: Readonly<Record<string, unknown>>,
) => void;

export const consoleLog: Log = (level, event, facts) => {
  console[level](JSON.stringify({ event, ...facts }));
};

const MAX_MESSAGE = 300;

/** A thrown value as log facts: its name and at most 300 characters of its message, never its stack (promise H5). */
export function errorFacts(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  return { error: error.name, message: error.message.slice(0, MAX_MESSAGE) };
}
