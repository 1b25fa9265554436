import { Hono } from "hono";
import { invalid } from "../shared/errors.ts";
import type { SearchSource } from "../shared/workspace-api.ts";
import type { AppEnv } from "./app-env.ts";
import { UNTRUSTED } from "./files-answer.ts";
import { type FileQuery, given, queryOf } from "./files-query.ts";
import { targetOf } from "./files-target.ts";
import { wholeNumber } from "./query.ts";

const SOURCES: readonly string[] = [
  "memory",
  "ledger",
  "archive",
  "knowledge",
  "session",
] satisfies SearchSource[];

/** Ranked search in memory, knowledge and session logs, at `/v1/agents/:agent/search`. */
export function searchRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.get("/", async (c) => {
    const query = queryOf(c.req.raw, ["q", "limit", "source", "path"]);
    const words = query.get("q");
    if (words === undefined) throw invalid('Say what to look for: "?q=words".');
    const limit = wholeNumber("limit", query.get("limit"), 1, 100);
    const sources = sourcesOf(query);
    const { workspace, isShared } = targetOf(c, query, "read");
    if (query.has("layer") && !isShared)
      throw invalid("A search is through all layers. Leave out the layer.");
    const path = query.get("path");
    const answer = await workspace.search({ query: words, ...given({ limit, sources, path }) });
    return c.json(answer, 200, UNTRUSTED);
  });

  return routes;
}

/** One or several, with commas between them; `undefined` when none is named. */
function sourcesOf(query: FileQuery): readonly SearchSource[] | undefined {
  const sources = query.get("source")?.split(",");
  if (sources?.every((source) => SOURCES.includes(source)) === false)
    throw invalid(`"source" must be some of these, with commas between: ${SOURCES.join(", ")}.`);
  return sources as readonly SearchSource[] | undefined;
}
