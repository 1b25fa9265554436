import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readTables } from "./invariants.ts";
import type { Tables } from "./observation.ts";

export type SessionFile = Tables & {
  /** When the object's alarm is due, in milliseconds since the epoch; `null` when none is set. */
  readonly alarm: number | null;
};

/** What a dev server keeps of a session in the folder of its state; `null` when there is no such session. */
export function readSessionFile(state: string, session: string): SessionFile | null {
  const folder = join(state, "v3/do/carrel-SessionObject");
  for (const file of readdirSync(folder)) {
    if (!file.endsWith(".sqlite") || file === "metadata.sqlite") continue;
    const database = new DatabaseSync(join(folder, file), { readOnly: true });
    try {
      const all = (query: string) => database.prepare(query).all();
      const [object] = all("SELECT name FROM __miniflare_do_name");
      if (!String(object?.name).endsWith(`/sessions/${session}/`)) continue;
      // Kept in nanoseconds, which no number in JavaScript can hold.
      const [alarm] = all("SELECT value / 1000000 AS at FROM _cf_METADATA WHERE key = 1");
      return { ...readTables(all), alarm: typeof alarm?.at === "number" ? alarm.at : null };
    } finally {
      database.close();
    }
  }
  return null;
}
