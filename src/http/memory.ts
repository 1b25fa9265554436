import { Hono, type Context } from "hono";
import * as z from "zod";
import { callBucket } from "../bindings.ts";
import { createMemory, type Memory, type MemoryPlace } from "../memory/memory-client.ts";
import { bucketPrefix } from "../shared/bucket-key.ts";
import { invalid } from "../shared/errors.ts";
import { bucketOf } from "../workspace/workspace.ts";
import type { AppEnv } from "./app-env.ts";
import { readBody } from "./body.ts";
import { operationOf } from "./files.ts";
import { UNTRUSTED } from "./files-answer.ts";
import { exactQueryOf, given, layerOf, type FileQuery } from "./files-query.ts";
import { audit, forbidden, ownerOf } from "./files-target.ts";

const MAX_FORGOTTEN = 50;

const EntryId = z
  .string()
  .regex(/^[0-9a-z]{11}$/, "must be the id of an entry, as GET …/memory lists it");

const UndoBody = z
  .strictObject({
    run: z.string().min(1).max(100).optional(),
    entry: EntryId.optional(),
  })
  .refine(
    ({ run, entry }) => (run ?? entry) !== undefined,
    "must name a run, an entry, or an entry of a run",
  );

const ForgetBody = z.strictObject({
  entries: z.array(EntryId).min(1).max(MAX_FORGOTTEN),
});

/**
 * What is remembered for the caller, below `/v1/agents/:agent/memory`: the entries with where they come from, undo, and
 * forget. `maxTokensOf` says what MEMORY.md may cost for the agent that a request names.
 */
export function memoryRoutes(maxTokensOf: (c: Context<AppEnv>) => number): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.get("/", async (c) => {
    const overview = await memoryOf(c, "read").overview(maxTokensOf(c));
    return c.json(overview, 200, UNTRUSTED);
  });

  routes.post("/undo", async (c) => {
    const memory = memoryOf(c, "write");
    const { run, entry } = await readBody(c.req.raw, UndoBody);
    const op = await opOf(c, { run, entry });
    const undone = await memory.undo({ by: nameOf(c), ...given({ run, entry }) }, op);
    return c.json({ restored: undone.restored, refused: undone.refused }, 200, UNTRUSTED);
  });

  routes.post("/forget", async (c) => {
    const memory = memoryOf(c, "write");
    const body = await readBody(c.req.raw, ForgetBody);
    const entries = [...new Set(body.entries)];
    const forgotten = await memory.forget(entries, nameOf(c), await opOf(c, entries));
    // What was said is what is forgotten: only how many messages told of it leaves.
    const { entries: count, paths, hidden } = forgotten;
    return c.json({ entries: count, paths, messages: hidden }, 200, UNTRUSTED);
  });

  return routes;
}

const nameOf = (c: Context<AppEnv>): string => `user:${c.get("principal").user}`;

/** The id of a change: that of its idempotency key, or one of its own. */
const opOf = async (c: Context<AppEnv>, asked: unknown): Promise<string> =>
  (await operationOf(c, new TextEncoder().encode(JSON.stringify(asked)))) ??
  `http-${crypto.randomUUID()}`;

/**
 * The memory that a request is about: the caller's own; for an admin also that of `?user=`, or with `?layer=shared` that
 * of the agent's shared files. Throws `CarrelError`: `forbidden` for anybody else, and for changing what users share.
 */
function memoryOf(c: Context<AppEnv>, use: "read" | "write"): Memory {
  const query = exactQueryOf(c.req.raw, ["user", "session", "layer"]);
  return createMemory(placeOf(c, query, use), callBucket(c.env));
}

function placeOf(c: Context<AppEnv>, query: FileQuery, use: "read" | "write"): MemoryPlace {
  const agent = c.req.param("agent") ?? "";
  const scope = c.get("deployment").isolationScope(agent);
  const isAdmin = c.get("principal").role === "admin";
  const layer = layerOf(query);
  if (layer === "template")
    throw invalid("The template remembers nothing. Leave out the layer for your own memory.");
  if (layer === "shared" && !isAdmin)
    throw forbidden("Only an admin may open the memory of the shared layer.");
  const isCommon = scope === "AGENT" || scope === "GLOBAL";
  if (use === "write" && isCommon && !isAdmin)
    throw forbidden("All users of this agent share this memory, so only an admin may change it.");
  const owner = ownerOf(c, query);
  if (layer === "shared") {
    audit(c, "shared");
    const home = bucketPrefix(scope === "GLOBAL" ? { scope: "GLOBAL" } : { scope: "AGENT", agent });
    return { home, records: home, agent };
  }
  return { home: bucketOf(scope, owner), records: bucketOf("USER", owner), agent };
}
