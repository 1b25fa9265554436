/** Used where nothing is known of a person's zone. */
export const UTC = "UTC";

const DAY_MS = 86_400_000;

/** Whether the platform knows this IANA time zone, for example `Europe/Berlin`; spelling aside from case counts. */
export function isTimeZone(zone: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9+_/-]{0,63}$/.test(zone)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat("en-US", { timeZone: zone }));
  } catch {
    return false;
  }
}

/** The calendar day at `at` (ms) in a zone that `isTimeZone` accepts: `2026-12-01`. */
export function dayIn(zone: string, at: number): string {
  if (zone === UTC) return new Date(at).toISOString().slice(0, 10);
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  const parts = Object.fromEntries(
    format.formatToParts(at).map(({ type, value }) => [type, value]),
  );
  return `${parts["year"]?.padStart(4, "0")}-${parts["month"]}-${parts["day"]}`;
}

/** The day so many days after another (before it, if negative), both as `2026-12-01`. */
export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
