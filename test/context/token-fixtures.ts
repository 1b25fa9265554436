import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { seededRandom } from "../support/random.ts";

const file = (name: string): string =>
  readFileSync(new URL(`./fixtures/${name}.txt`, import.meta.url), "utf8");

const hash = (kind: string, of: string | number) => createHash(kind).update(String(of)).digest();

const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join("\n");

const CITIES = ["Berlin", "Lisbon", "Nairobi", "Osaka", "Quito", "Tallinn"] as const;
const WORDS = ["order", "window", "garden", "invoice", "blue", "large", "repair", "north"] as const;

/** Orders of a shop that is none, the same each time. */
function orders(): object[] {
  const random = seededRandom(7);
  const below = (most: number) => Math.floor(random() * most);
  const word = () => WORDS[below(WORDS.length)];
  return Array.from({ length: 30 }, (_, at) => ({
    id: 1_000 + at,
    title: `${word()} ${word()} ${word()}`,
    email: `${word()}.${word()}@example.com`,
    price: below(100_000) / 100,
    createdAt: new Date(1_790_000_000_000 + below(90 * 86_400_000)).toISOString(),
    tags: [word(), word()],
    isPaid: random() < 0.5,
    note: at % 3 === 0 ? null : "Leave it with the neighbours if nobody opens the door.",
    address: { city: CITIES[below(CITIES.length)], street: `${word()} street ${below(200)}` },
  }));
}

/** Texts of each kind that contexts are made of, several thousand characters each. */
export const tokenFixtures = (): Readonly<Record<string, string>> => ({
  english: file("english"),
  chinese: file("chinese"),
  japanese: file("japanese"),
  korean: file("korean"),
  russian: file("russian"),
  markdown: file("markdown"),
  typescript: file("typescript"),
  python: file("python"),
  "json, one line": JSON.stringify(orders()),
  "json, indented": JSON.stringify(orders(), null, 2),
  uuids: lines(80, (at) =>
    hash("md5", at)
      .toString("hex")
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
  ),
  base64: lines(40, (at) => hash("sha512", at).toString("base64")),
  numbers: lines(200, (at) => {
    const random = seededRandom(at + 1);
    const [price, count] = [random() * 10_000, Math.floor(random() * 1_000_000)];
    return `${at},${price.toFixed(2)},${count},2026-0${1 + (at % 9)}-1${at % 10}`;
  }),
});
