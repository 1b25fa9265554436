import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type { SkillDatabase } from "../../../../src/skills/repositories/sql/database.ts";
import { skillTablesSql } from "../../../../src/skills/repositories/sql/tables.ts";

/** A real D1 database of this machine, with the tables of skills in it. */
export async function localD1(): Promise<{
  readonly db: SkillDatabase;
  readonly close: () => Promise<void>;
}> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default { fetch: () => new Response() }",
      compatibilityDate: "2026-11-01",
      cf: false,
      d1Databases: ["DB"],
    }),
  );
  const db = await miniflare.getD1Database("DB");
  for (let times = 0; times < 2; times += 1)
    await db.batch(skillTablesSql().map((statement) => db.prepare(statement)));
  return { db, close: () => miniflare.dispose() };
}
