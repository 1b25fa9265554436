import { element } from "./dom.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * When something was, as one would say it: "just now", "3 hours ago", "yesterday", "Mon 30 Nov", "30 Nov 2024". The
 * start of a day in UTC stands for that day, of which no hour is known.
 * @param {number} at Milliseconds since the epoch.
 * @param {number} now
 */
export function whenOf(at, now) {
  const days = dayNumber(new Date(now), false) - dayNumber(new Date(at), isDay(at));
  if (days === 0) return isDay(at) ? "today" : sameDay(now - at);
  if (days === 1) return "yesterday";
  if (days > 1 && days < 7) return `${days} days ago`;
  return dateOf(at, now);
}

/** The exact time, as the reader writes it; of a day the day alone. @param {number} at */
export const exactly = (at) =>
  new Intl.DateTimeFormat(
    undefined,
    isDay(at) ? { dateStyle: "full", timeZone: "UTC" } : { dateStyle: "full", timeStyle: "short" },
  ).format(at);

/** A time as one would say it, with the exact one on hover. @param {number} at @param {number} [now] */
export const timeNode = (at, now = Date.now()) =>
  element("time", { datetime: isoOf(at), title: exactly(at) }, whenOf(at, now));

/** @param {number} passed Milliseconds; a clock that is ahead makes it negative. */
function sameDay(passed) {
  if (passed < MINUTE) return "just now";
  const [count, unit] =
    passed < HOUR ? [Math.floor(passed / MINUTE), "minute"] : [Math.floor(passed / HOUR), "hour"];
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}

/** @param {number} at @param {number} now */
function dateOf(at, now) {
  const date = new Date(at);
  const isSameYear = yearOf(date, isDay(at)) === yearOf(new Date(now), false);
  const zone = isDay(at) ? /** @type {const} */ ({ timeZone: "UTC" }) : {};
  const part = (/** @type {Intl.DateTimeFormatOptions} */ options) =>
    new Intl.DateTimeFormat("en-GB", { ...options, ...zone }).format(date);
  const day = `${part({ day: "numeric" })} ${part({ month: "short" })}`;
  return isSameYear
    ? `${part({ weekday: "short" })} ${day}`
    : `${day} ${part({ year: "numeric" })}`;
}

/** @param {number} at */
const isDay = (at) => at % DAY === 0;

/** @param {Date} date @param {boolean} isUtc */
const yearOf = (date, isUtc) => (isUtc ? date.getUTCFullYear() : date.getFullYear());

/** The calendar's day, counted. @param {Date} date @param {boolean} isUtc */
const dayNumber = (date, isUtc) =>
  isUtc
    ? date.getTime() / DAY
    : Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY;

/** @param {number} at */
const isoOf = (at) =>
  isDay(at) ? new Date(at).toISOString().slice(0, 10) : new Date(at).toISOString();
