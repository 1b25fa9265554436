import { invalid } from "./errors.ts";
import { ID } from "./ids.ts";

/** Where a page of a list of sessions ended. It stays a place in the list when that session moves or goes. */
export type ListCursor = { readonly updatedAt: number; readonly session: string };

/** As text that fits a query; clients give it back as it is. */
export const toListCursor = ({ updatedAt, session }: ListCursor): string =>
  `${updatedAt}.${session}`;

/** What `toListCursor` wrote. Throws `CarrelError('invalid')` for anything else. */
export function parseListCursor(text: string): ListCursor {
  const [, digits = "", session = ""] = /^(\d{1,16})\.(.+)$/s.exec(text) ?? [];
  const updatedAt = Number(digits);
  if (digits === "" || !Number.isSafeInteger(updatedAt) || !ID.test(session))
    throw invalid(
      'The cursor must be the "cursor" of the page before, as it came. Leave it out for the first page.',
    );
  return { updatedAt, session };
}
