import type { RegistryPage } from "../shared/registry-api.ts";

/** A page of `size` from rows of which one too many was asked for; `cursorOf` says where an item stands. */
export function pageOf<Item>(
  rows: readonly Item[],
  size: number,
  cursorOf: (item: Item) => string,
): RegistryPage<Item> {
  const items = rows.slice(0, size);
  const last = items.at(-1);
  return { items, cursor: rows.length > size && last ? cursorOf(last) : null };
}
