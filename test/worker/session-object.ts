import { env, runInDurableObject } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { platformSql } from "../../durable-objects/sql.ts";
import { sessionTables } from "../../src/session/schema.ts";
import { sessionKey } from "../../src/shared/ids.ts";
import { FaithfulClient } from "../support/faithful-client.ts";
import { readTables } from "../support/invariants.ts";
import type { Tables } from "../support/observation.ts";

/** Tries of a client before it gives up: more than any crash needs. */
const PATIENCE = 200;

/** Lets everything before it reach the disk, and everyone else have a turn, as a real wait for I/O does. */
export const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** The name of the object of a session. */
export const keyOf = (session: string, agent = "scripted"): string =>
  sessionKey({ agent, user: "local", session });

export const sessionStub = (session: string, agent?: string) =>
  env.SESSIONS.getByName(keyOf(session, agent));

/** The rows of a session; none when it was never written to. Wakes its object, which by itself starts nothing. */
export const tablesOf = (session: string, agent?: string): Promise<Tables> =>
  runInDurableObject(sessionStub(session, agent), (_, state) => {
    const sql = sessionTables(platformSql(state.storage));
    return readTables((query) => sql.all(query));
  });

/** A client of a session. */
export function clientOf(session: string, agent = "scripted"): FaithfulClient {
  return new FaithfulClient({
    fetch: (url, init) => exports.default.fetch(url, init),
    base: `http://localhost/v1/agents/${agent}/sessions/${session}`,
    breathe,
    patience: PATIENCE,
  });
}
