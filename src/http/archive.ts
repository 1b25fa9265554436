import { type Context, Hono } from "hono";
import { workspaceLimits } from "../env.ts";
import { CarrelError, invalid } from "../shared/errors.ts";
import type { AppEnv } from "./app-env.ts";
import { exportArchive } from "./archive-export.ts";
import { importArchive } from "./archive-import.ts";
import { readBytes } from "./body.ts";
import { operationOf } from "./files.ts";
import { attachment, UNTRUSTED } from "./files-answer.ts";
import { type FileQuery, queryOf } from "./files-query.ts";
import { forbidden, targetOf } from "./files-target.ts";

const MAX_ARCHIVE = 32_000_000;

/** A workspace as one zip archive, out and in, at `/v1/agents/:agent/archive`. */
export function archiveRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.get("/", async (c) => {
    const query = queryOf(c.req.raw, ["path"]);
    const isAll = query.get("layer") === "all";
    const { workspace, layer, isShared } = exportTarget(c, query, isAll);
    const directory = query.get("path") ?? "";
    const isOwn = layer === "own" || isShared;
    const stream = await exportArchive(workspace, {
      directory,
      layer: isAll ? undefined : layer,
      whiteouts: isOwn && directory === "",
    });
    const headers = {
      ...UNTRUSTED,
      "content-type": "application/zip",
      "content-disposition": attachment(`${c.req.param("agent") ?? "agent"}-files.zip`),
    };
    return new Response(stream, { headers });
  });

  routes.post("/", async (c) => {
    const query = queryOf(c.req.raw, []);
    const { workspace, by } = targetOf(c, query, "write");
    const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
    if (type !== "application/zip")
      throw new CarrelError(
        "unsupported_media_type",
        'Send a zip archive with the header "content-type: application/zip".',
      );
    const bytes = await readBytes(c.req.raw, "The archive", MAX_ARCHIVE, "32 MB");
    const id = (await operationOf(c, bytes)) ?? crypto.randomUUID();
    return c.json(
      await importArchive(workspace, bytes, { id, by, limits: workspaceLimits(c.env) }),
      200,
      UNTRUSTED,
    );
  });

  return routes;
}

/** By default the own layer: what lower layers have, another deployment has for itself. */
function exportTarget(c: Context<AppEnv>, query: FileQuery, isAll: boolean) {
  const named = new Map(query);
  if (isAll) named.delete("layer");
  else if (!query.has("layer")) named.set("layer", "own");
  const layer = named.get("layer");
  if (layer === "template") throw invalid('"layer" must be one of: own, shared, all.');
  const target = targetOf(c, named, "read");
  if (layer === "shared" && !target.isShared)
    throw forbidden("Only an admin may export the shared layer.");
  return target;
}
