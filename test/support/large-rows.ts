import type { Sql } from "../../src/shared/sql.ts";

/** From now on no value may have more than 2,000,000 bytes, as in production; a local database takes it. */
export function refuseLargeRows(sql: Sql): void {
  const run: Sql["run"] = sql.run.bind(sql);
  const refusing: Sql["run"] = (query, ...params) => {
    for (const param of params)
      if (typeof param === "string" && Buffer.byteLength(param) > 2_000_000)
        throw new Error("string or blob too big: SQLITE_TOOBIG");
    return run(query, ...params);
  };
  Object.assign(sql, { run: refusing });
}
