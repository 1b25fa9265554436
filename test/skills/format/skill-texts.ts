import { seededRandom } from "../../support/random.ts";

/** What lines of a front matter are made of: what people write, and what parsers trip over. */
const keys =
  "name description license metadata tags version allowed-tools __proto__ constructor toString a <<".split(
    " ",
  );

const values = [
  "pdf",
  "Use when: the user asks",
  "fills # forms",
  '"quoted: text"',
  "'it''s'",
  '"open',
  "'open",
  "[a, b]",
  "[a",
  "{a: 1, __proto__: {b: 2}}",
  "{{name}}",
  "*bold* text",
  "**bold**",
  "&a text",
  "&a [*a]",
  "*a",
  "!!js/function 'function () { globalThis.wasRun = true }'",
  "!!binary aGVsbG8=",
  "!x y",
  "!<tag:yaml.org,2002:js/undefined> ''",
  "|",
  "|2-",
  ">-",
  "|9",
  "---",
  "a --- b",
  "true",
  "~",
  "null",
  "1.10",
  "0x1F",
  "1e999",
  ".nan",
  "123456789012345678901234567890",
  "2024-01-02",
  "@at",
  "`tick`",
  "%percent",
  "- item",
  "? key",
  "",
  " ",
  "\t",
  "\u00a0",
  "\ufeff",
  "\u2028",
  "\u0085",
  "\0",
  "\u001b[31m",
  "\ud800",
  "日本語 😀",
  "${globalThis.wasRun = true}",
  "\\x41\\u0041\\q",
  '"\\x41\\u0041"',
  '"\\q"',
];

const strange = [
  "---",
  "--- ",
  "---js",
  "--- # comment",
  "...",
  "%YAML 1.1",
  "%TAG ! tag:x,2000:",
  "# comment",
  "\ttab: x",
  "  nested: x",
  "  - item",
  "- item",
  "  ---",
  "? complex",
  ": value",
  "text without a key",
  "<<: *a",
  "name:x",
  "description:no space",
  "module.exports = globalThis.wasRun = true",
];

const endings = ["\n", "\n", "\n", "\r\n", "\r", "\n\n"];

const beginnings = [
  "",
  "",
  "",
  "",
  "\ufeff",
  "\n",
  "\n\n \n",
  "\r\n",
  "\r\n".repeat(40),
  "x\n",
  " ",
];

/** Texts that are long, or deep, in one way. */
const heavy: readonly ((size: number) => string)[] = [
  (size) => `a: ${"[".repeat(size)}`,
  (size) => `a: ${"{a: ".repeat(size)}`,
  (size) => `a: ${"]".repeat(size)}`,
  (size) => "- ".repeat(size),
  (size) => "? ".repeat(size),
  (size) => Array.from({ length: size % 150 }, (_, at) => `${" ".repeat(at)}a:`).join("\n"),
  (size) => `a: ["${'\\x",'.repeat(size)}"]`,
  (size) => `a: "${"\\q".repeat(size)}"`,
  (size) => `a: >\n${"  x\n x\n".repeat(size)}`,
  (size) => `a: |\n${"\n".repeat(size)}  x`,
  (size) => `a: ${"&b ".repeat(size)}`,
  (size) => `a: ${"!b ".repeat(size)}`,
  (size) => "%A\n".repeat(size),
  (size) => "a: [\n".repeat(size),
  (size) => "a: 1\n".repeat(size),
  (size) => `a: ${" ".repeat(size)}x`,
  (size) => `${" ".repeat(size)}a: x`,
  (size) => `description: ${"long words ".repeat(size)}`,
  (size) => `description: ${"😀".repeat(size)}`,
  (size) => bomb(size % 12),
];

/** Each list is the one before it nine times: "a billion laughs". */
function bomb(levels: number): string {
  const lines = Array.from(
    { length: levels },
    (_, at) => `k${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`,
  );
  return ["k0: &a0 [lol,lol,lol]", ...lines].join("\n");
}

/** A text that is a SKILL.md more or less: the same for the same number. */
export function skillText(seed: number): string {
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item | undefined =>
    items[Math.floor(random() * items.length)];
  const often = (chance: number): boolean => random() < chance;
  const eol = pick(endings) ?? "\n";

  const lines = Array.from({ length: Math.floor(random() * 8) }, () => {
    if (often(0.15)) return pick(strange) ?? "";
    const indented = often(0.1) ? `${eol}  ${pick(values)}` : "";
    return `${pick(keys)}: ${pick(values)}${indented}`;
  });
  if (often(0.6)) lines.push(`description: ${pick(values)}`);
  if (often(0.1)) lines.push(pick(heavy)?.(Math.floor(random() ** 2 * 6_000)) ?? "");

  const body = often(0.9)
    ? `# Body${eol}---${eol}text`
    : pick(["", " ", "\n".repeat(500), "😀".repeat(300)]);
  const opening = often(0.95) ? `---${pick(["", " ", "\t"])}${eol}` : "";
  const closing = often(0.95) ? `${eol}---${pick(["", " ", " ".repeat(70)])}${eol}` : "";
  return mutate(`${pick(beginnings)}${opening}${lines.join(eol)}${closing}${body}`, random);
}

/** One text in five has a piece cut out, doubled or moved. */
function mutate(text: string, random: () => number): string {
  if (random() > 0.2) return text;
  const from = Math.floor(random() * text.length);
  const to = from + Math.floor(random() * 12);
  const piece = text.slice(from, to);
  const rest = text.slice(0, from) + text.slice(to);
  const at = Math.floor(random() * rest.length);
  return random() < 0.4 ? rest : rest.slice(0, at) + piece + piece + rest.slice(at);
}
