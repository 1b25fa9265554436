import { parseId } from "../shared/ids.ts";
import type { UserSettings } from "../shared/registry-api.ts";
import type { Sql } from "../shared/sql.ts";

/** What a user has chosen; nothing so far gives `null` for each. */
export function settingsOf(sql: Sql, user: string): UserSettings {
  const [row] = sql.all<UserSettings>(
    "SELECT time_zone AS timeZone FROM setting WHERE user = ?",
    user,
  );
  return { timeZone: row?.timeZone ?? null };
}

/** Takes the place of what was chosen before. Throws for a user id that `parseId` refuses. */
export function setSettings(sql: Sql, user: string, { timeZone }: UserSettings): void {
  sql.run(
    `INSERT INTO setting(user, time_zone) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET time_zone = excluded.time_zone`,
    parseId("The user id", user),
    timeZone,
  );
}
