import * as z from "zod";
import { isTimeZone } from "../shared/time-zone.ts";

/** A time zone in a body. */
export const TimeZone = z
  .string()
  .refine(isTimeZone, 'must be an IANA time zone such as "Europe/Berlin" or "UTC"');
