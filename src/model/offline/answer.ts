/** A tool call as the offline model decides on it. */
export type Call = { readonly name: string; readonly input: Readonly<Record<string, unknown>> };

/** What is said in one step: text, calls, or both; never neither. */
export type Answer = { readonly text: string; readonly calls: readonly Call[] };

export const say = (text: string): Answer => ({ text, calls: [] });

export const use = (...calls: Call[]): Answer => ({ text: "", calls });

/** `text` as a fenced block that nothing inside it can close. */
export function fenced(text: string, language = ""): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** `one`, `one and two`, `one, two and three`. */
export function listed(items: readonly string[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}
