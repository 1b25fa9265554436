import type { SessionCore } from "./core.ts";

/** How a list calls the session: as a person named it, else how its first message begins. */
export function titleOf(_core: SessionCore): string {
  return "";
}

/** Names the session; `not_found` when nothing was said in it. A job tells the registry. */
export function renameSession(_core: SessionCore, title: string): string {
  return title;
}
