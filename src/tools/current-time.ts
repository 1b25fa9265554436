import * as z from "zod";
import { isTimeZone } from "../shared/time-zone.ts";
import { defineTool } from "./define-tool.ts";

const input = z.strictObject({
  timezone: z
    .string()
    .max(64)
    .refine(isTimeZone, 'must be an IANA time zone such as "Europe/Berlin" or "UTC"')
    .optional()
    .describe("IANA time zone, for example Europe/Berlin. Default: the user's."),
});

/** Tells the date, time and weekday in a time zone: `2026-11-30T17:43:12+01:00 (Monday, Europe/Berlin)`. */
export const currentTime = defineTool({
  name: "current_time",
  description:
    "The current date, time and weekday, where the user is or in the time zone that you name.",
  input,
  effect: "read",
  replay: "pure",
  run: ({ timezone }, { now, zone }) => describeTime(now(), timezone ?? zone),
});

function describeTime(now: number, zone: string): string {
  const part = partsOf(now, zone);
  const offset = part("timeZoneName").replace("GMT", "") || "+00:00";
  const date = `${part("year")}-${part("month")}-${part("day")}`;
  const time = `${part("hour")}:${part("minute")}:${part("second")}`;
  return `${date}T${time}${offset} (${part("weekday")}, ${zone})`;
}

function partsOf(now: number, timeZone: string): (type: Intl.DateTimeFormatPartTypes) => string {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    timeZoneName: "longOffset",
    hourCycle: "h23",
    weekday: "long",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }).formatToParts(now);
  return (type) => parts.find((part) => part.type === type)?.value ?? "";
}
