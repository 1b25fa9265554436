import { cutAt } from "../../shared/text.ts";
import { count } from "../../tools/truncate.ts";

/** What the model is shown of a list at most, in characters. */
const MAX_LIST = 3_000;
const MAX_GIVEN = 120;

/**
 * The first of these that fit into a few thousand characters, at most `most`, and how many more there are. `join` stands
 * between them.
 */
export function listed(
  items: readonly string[],
  { join = ", ", most = items.length }: { readonly join?: string; readonly most?: number } = {},
): string {
  const shown: string[] = [];
  let room = MAX_LIST;
  for (const item of items.slice(0, most)) {
    room -= item.length + join.length;
    if (room < 0) break;
    shown.push(item);
  }
  const rest = items.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${count(rest)} more`] : [])].join(join);
}

/** What a model wrote, as it is said back to it. */
export const given = (text: string): string =>
  JSON.stringify(text.length <= MAX_GIVEN ? text : `${cutAt(text, MAX_GIVEN)}…`);
