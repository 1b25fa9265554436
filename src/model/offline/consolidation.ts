/** An entry as the request numbers it. */
type Numbered = { readonly no: string; readonly text: string };

type Step =
  | { readonly op: "keep"; readonly entry: string }
  | { readonly op: "drop"; readonly entry: string; readonly reason: string }
  | {
      readonly op: "add";
      readonly text: string;
      readonly section: string;
      readonly sources: readonly string[];
      readonly reason: string;
    };

/**
 * Operations, as JSON, on the numbered entries of a request: all stay and all new ones are added, each text once, until there
 * are `maxChars` characters. What is left out stays in its ledger.
 */
export function consolidated(request: string, maxChars = Infinity): string {
  const entries = numberedIn(request);
  const remembered = new Map<string, Numbered>();
  const fresh = new Map<string, { readonly text: string; readonly sources: string[] }>();
  const operations: Step[] = [];
  let room = maxChars;
  for (const entry of entries.filter(({ no }) => no.startsWith("M"))) {
    const same = remembered.get(comparable(entry.text));
    room -= entry.text.length;
    if (same) operations.push({ op: "drop", entry: entry.no, reason: `the same as ${same.no}` });
    else {
      remembered.set(comparable(entry.text), entry);
      operations.push({ op: "keep", entry: entry.no });
    }
  }
  for (const { no, text } of entries.filter((entry) => entry.no.startsWith("L"))) {
    const key = comparable(text);
    const same = fresh.get(key);
    if (same) same.sources.push(no);
    else if (!remembered.has(key) && text.length + OF_AN_ENTRY <= room) {
      fresh.set(key, { text, sources: [no] });
      room -= text.length + OF_AN_ENTRY;
    }
  }
  for (const { text, sources } of fresh.values())
    operations.push({ op: "add", text, section: "", sources, reason: "new" });
  return JSON.stringify({ operations });
}

/** What a file has beside the text of an entry. */
const OF_AN_ENTRY = 4;

/** The entries: `M1 [section] text`, `L1 (day) text` or `M1: text`, and the indented lines that follow. */
function numberedIn(request: string): Numbered[] {
  const entries: { no: string; lines: string[] }[] = [];
  let isOpen = false;
  for (const line of request.split("\n")) {
    const [, no, text = ""] =
      /^(?:[-*] )?\[?([ML]\d{1,6})\]?(?: ?[([][^\n)\]]*[)\]])?:? (.*)$/.exec(line) ?? [];
    if (no !== undefined) entries.push({ no, lines: [text] });
    else if (isOpen && /^\s+\S/.test(line)) entries.at(-1)?.lines.push(line.trim());
    isOpen = no !== undefined || (isOpen && /^\s+\S/.test(line));
  }
  return entries.map(({ no, lines }) => ({ no, text: lines.join(" ").trim() }));
}

const comparable = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/[.!\s]+$/, "")
    .toLowerCase();
