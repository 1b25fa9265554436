import { indexSession, registerSession } from "../src/bindings.ts";
import type { Env } from "../src/env.ts";
import { systemClock } from "../src/shared/clock.ts";
import { consoleLog } from "../src/shared/log.ts";
import type { Point } from "../src/shared/point.ts";
import { sessionKey } from "../src/shared/ids.ts";
import type { SessionLink } from "../src/shared/session-api.ts";
import type { SessionAddress } from "../src/shared/session-address.ts";
import { CHILD } from "../src/shared/subagents.ts";
import type { Platform } from "../src/turn/platform.ts";
import { platformSql } from "./sql.ts";

/** What a session has of the platform in its object. */
export const sessionPlatform = (
  ctx: DurableObjectState,
  env: Env,
  address: SessionAddress,
  point: Point,
): Platform => ({
  address,
  sql: platformSql(ctx.storage),
  clock: systemClock,
  setAlarm: (at) => void ctx.storage.setAlarm(at),
  clearAlarm: () => void ctx.storage.deleteAlarm(),
  sync: () => ctx.storage.sync(),
  keepAlive: (work) => ctx.waitUntil(work),
  // The session of a subagent is listed and deleted with its parent's.
  register: () =>
    CHILD.test(address.session)
      ? Promise.resolve({ timeZone: null })
      : registerSession(env, address, systemClock.now()),
  index: (news) =>
    CHILD.test(address.session)
      ? Promise.resolve({ timeZone: null })
      : indexSession(env, address, news),
  link: (to) => env.SESSIONS.getByName(sessionKey(to)) as unknown as SessionLink,
  newId: () => crypto.randomUUID(),
  point,
  log: consoleLog,
});
