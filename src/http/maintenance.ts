import { Hono, type Context } from "hono";
import * as z from "zod";
import type { BucketUpkeep } from "../maintenance/bucket-upkeep.ts";
import {
  maintainBucket,
  maintenanceStatus,
  waitingBucket,
  waitingBuckets,
} from "../maintenance/on-demand.ts";
import type { MaintenancePorts } from "../maintenance/ports.ts";
import { countsOf, runMaintenance } from "../maintenance/run.ts";
import { bucketPrefix, type BucketKey } from "../shared/bucket-key.ts";
import { invalid, notFound } from "../shared/errors.ts";
import { parseId } from "../shared/ids.ts";
import { bucketOf } from "../workspace/workspace.ts";
import type { AppEnv } from "./app-env.ts";
import { readBody } from "./body.ts";
import { audit } from "./files-target.ts";

/** Whose upkeep: everybody's by default, or one owner's, or an agent's shared files. `dry`: only say what waits. */
const MaintenanceBody = z.strictObject({
  agent: z.string().optional(),
  user: z.string().optional(),
  session: z.string().optional(),
  layer: z.enum(["own", "shared"]).optional(),
  dry: z.boolean().default(false),
});

/** What one request does at most; the next one goes on. */
const ALLOWANCE = { calls: 450, ms: 60_000 } as const;
const MAX_SHOWN = 100;

/** What the upkeep of memory has to do, and doing it now. Its caller has to be known as an admin. */
export function maintenanceRoutes(portsOf: (c: Context<AppEnv>) => MaintenancePorts): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.get("/", async (c) => {
    audit(c, "all");
    return c.json(await maintenanceStatus(portsOf(c)));
  });

  routes.post("/", async (c) => {
    const body = await readBody(c.req.raw, MaintenanceBody);
    const ports = portsOf(c);
    const buckets = bucketsOf(c, body);
    if (body.dry) {
      const waiting = buckets
        ? await Promise.all(buckets.map((bucket) => waitingBucket(ports, bucket)))
        : [await waitingBuckets(ports)];
      return c.json({ state: "dry", buckets: waiting.flat() });
    }
    if (!buckets) {
      const report = await runMaintenance(ports, { allowance: ALLOWANCE, again: true });
      const shown = report.buckets.slice(0, MAX_SHOWN).map(toJson);
      return c.json({ ...report, counts: countsOf(report.buckets), buckets: shown });
    }
    const done: BucketUpkeep[] = [];
    for (const bucket of buckets) done.push(await maintainBucket(ports, bucket));
    return c.json({ state: "finished", counts: countsOf(done), buckets: done.map(toJson) });
  });

  return routes;
}

/** The buckets that a body names: that of the agent's scope, and that of the user's records; `null`: all that there are. */
function bucketsOf(
  c: Context<AppEnv>,
  { agent: named, ...body }: z.output<typeof MaintenanceBody>,
): readonly BucketKey[] | null {
  if (named === undefined) {
    if (body.user !== undefined || body.session !== undefined || body.layer !== undefined)
      throw invalid('A user, a session or a layer belongs to an agent. Say which: "agent".');
    audit(c, "all");
    return null;
  }
  const deployment = c.get("deployment");
  const agent = parseId("The agent id", named);
  if (!deployment.has(agent)) throw notFound(`The agent "${agent}"`);
  const scope = deployment.isolationScope(agent);
  if (body.layer === "shared") {
    if (body.user !== undefined || body.session !== undefined)
      throw invalid(
        'Shared files belong to no user and no session. Leave "user" and "session" out.',
      );
    audit(c, "shared");
    return [bucketPrefix(scope === "GLOBAL" ? { scope } : { scope: "AGENT", agent })];
  }
  const user = parseId("The user id", body.user ?? c.get("principal").user);
  const session = body.session === undefined ? null : parseId("The session id", body.session);
  if (scope === "SESSION" && session === null)
    throw invalid('The files of this agent are kept for each session. Say which: "session".');
  audit(c, user);
  const owner = { agent, user, session };
  return [...new Set([bucketOf(scope, owner), bucketOf("USER", owner)])];
}

const toJson = ({ bucket, runs, removed, curated, outcome }: BucketUpkeep) => {
  const { kind, ...why } = outcome;
  return { bucket, state: kind, ...why, runs, removed, curated };
};
