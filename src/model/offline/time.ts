import { say, use } from "./answer.ts";
import type { Answer } from "./answer.ts";
import { offers } from "./conversation.ts";
import type { Conversation, Outcome } from "./conversation.ts";
import { showOutcomes } from "./outcomes.ts";

/** Places people ask about, as `place=zone`. */
const PLACES = `amsterdam=Europe/Amsterdam athens=Europe/Athens auckland=Pacific/Auckland bangkok=Asia/Bangkok
beijing=Asia/Shanghai berlin=Europe/Berlin bogota=America/Bogota boston=America/New_York brussels=Europe/Brussels
cairo=Africa/Cairo california=America/Los_Angeles chicago=America/Chicago china=Asia/Shanghai delhi=Asia/Kolkata
denver=America/Denver dubai=Asia/Dubai dublin=Europe/Dublin france=Europe/Paris germany=Europe/Berlin
hangzhou=Asia/Shanghai helsinki=Europe/Helsinki hong_kong=Asia/Hong_Kong honolulu=Pacific/Honolulu india=Asia/Kolkata
istanbul=Europe/Istanbul jakarta=Asia/Jakarta japan=Asia/Tokyo johannesburg=Africa/Johannesburg kyiv=Europe/Kyiv
lagos=Africa/Lagos lisbon=Europe/Lisbon london=Europe/London los_angeles=America/Los_Angeles madrid=Europe/Madrid
melbourne=Australia/Melbourne mexico_city=America/Mexico_City mumbai=Asia/Kolkata munich=Europe/Berlin
nairobi=Africa/Nairobi new_york=America/New_York oslo=Europe/Oslo paris=Europe/Paris rome=Europe/Rome
san_francisco=America/Los_Angeles sao_paulo=America/Sao_Paulo seattle=America/Los_Angeles seoul=Asia/Seoul
shanghai=Asia/Shanghai singapore=Asia/Singapore stockholm=Europe/Stockholm sydney=Australia/Sydney taipei=Asia/Taipei
tokyo=Asia/Tokyo toronto=America/Toronto vancouver=America/Vancouver vienna=Europe/Vienna warsaw=Europe/Warsaw
zurich=Europe/Zurich`;

const ASKS: readonly RegExp[] = [
  /\bwhat(?:'s| is)? the (?:current |local |exact )?(?:time|date|day|weekday)(?: and (?:the )?(?:date|time|day))?(?: is it| today| now| right now| please)*(?:$|[?.!,]| in | at | for )/,
  /\b(?:what|which) (?:time|date|day|weekday)(?: of the week)? is (?:it|today)\b/,
  /\b(?:current|local) (?:time|date)\b/,
  /\btime (?:is it|now)\b/,
  /\btoday's date\b/,
  /^(?:the )?(?:time|date)(?: and (?:time|date))?(?: please)?(?: in [\w /]+)?[?.!]*$/,
];

const MAX_ZONES = 4;

/** Says the time, date or weekday, in the places that were named. */
export function answerTime(talk: Conversation): Answer | null {
  if (!ASKS.some((pattern) => pattern.test(talk.plain))) return null;
  const told = talk.outcomes.filter((outcome) => outcome.call.name === "current_time");
  if (told.length > 0) return say(told.map(sentence).join("\n\n"));
  if (!offers(talk, "current_time")) {
    return say("I cannot see a clock: the tool `current_time` is not offered to me here.");
  }
  const zones = zonesIn(talk);
  if (zones.length === 0) return use({ name: "current_time", input: {} });
  return use(...zones.map((timezone) => ({ name: "current_time", input: { timezone } })));
}

function zonesIn(talk: Conversation): string[] {
  const named = talk.said.match(/\b[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?\b/g) ?? [];
  if (named.length > 0) return [...new Set(named)].slice(0, MAX_ZONES);
  const ascii = talk.plain
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z]+/g, " ");
  const words = ` ${ascii} `;
  const found = PLACES.split(/\s+/)
    .map((entry) => entry.split("="))
    .map(([place = "", zone = ""]) => ({
      zone,
      at: words.indexOf(` ${place.replaceAll("_", " ")} `),
    }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at)
    .map(({ zone }) => zone);
  return [...new Set(found)].slice(0, MAX_ZONES);
}

const MONTHS =
  "January February March April May June July August September October November December";

/** The answer of `current_time` as a sentence; as it is when it has another form. */
function sentence(outcome: Outcome): string {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d):\d\d(Z|[+-]\d\d:\d\d) \((\w+), ([^)]+)\)/.exec(
    outcome.text,
  );
  if (outcome.result.status !== "success" || !match) return showOutcomes([outcome]);
  const [, year, month, day, time, offset, weekday, zone = ""] = match;
  const name = MONTHS.split(" ")[Number(month) - 1];
  const date = `${weekday}, ${Number(day)} ${name} ${year}`;
  if (zone === "UTC") return `It is ${time} UTC on ${date}.`;
  const place = zone.slice(zone.lastIndexOf("/") + 1).replaceAll("_", " ");
  return `In ${place} it is ${time} on ${date} (${zone}, UTC${offset === "Z" ? "" : offset}).`;
}
