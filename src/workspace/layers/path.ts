import { invalid } from "../../shared/errors.ts";
import { utf8Length } from "../../shared/text.ts";

declare const workspacePathBrand: unique symbol;

/** A canonical path inside a workspace: names joined by single slashes, none at either end; `''` is the root. */
export type WorkspacePath = string & { readonly [workspacePathBrand]: true };

const MAX_BYTES = 512;

/** The longest spelling that is looked at, so that a hostile one costs little. */
const MAX_SPELLING = 8 * 1024;

/** Controls and line breaks would forge lines in listings; a lone surrogate has no bytes. */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

/**
 * The one spelling of `raw`, which has been decoded exactly once (a `%2e` is a plain name here). A leading slash
 * means the workspace root; empty and `.` segments are dropped. `..` as a segment, backslashes, control
 * characters, line separators, lone surrogates and more than 512 UTF-8 bytes throw `CarrelError('invalid')`;
 * `..` or `~` inside a name are fine. Canonical paths come back unchanged.
 */
export function workspacePath(raw: string): WorkspacePath {
  if (raw.length > MAX_SPELLING) throw tooLong();
  if (raw.includes("\\")) {
    throw invalid('A path must not contain a backslash. Separate folders with "/".');
  }
  if (FORBIDDEN.test(raw)) {
    throw invalid("A path must not contain control characters, line breaks or broken Unicode.");
  }
  const names = raw.split("/").filter((name) => name !== "" && name !== ".");
  if (names.includes("..")) {
    throw invalid(
      'A path must not contain "..". Write it from the workspace root, for example "knowledge/notes.md".',
    );
  }
  const path = names.join("/");
  if (utf8Length(path) > MAX_BYTES) throw tooLong();
  return path as WorkspacePath;
}

const tooLong = () => invalid(`A path must not be longer than ${MAX_BYTES} bytes.`);

/** The directory that holds `path`; the root holds itself. */
export function parentOf(path: WorkspacePath): WorkspacePath {
  return path.slice(0, Math.max(0, path.lastIndexOf("/"))) as WorkspacePath;
}

/** The last name of `path`; empty for the root. */
export const nameOf = (path: WorkspacePath): string => path.slice(path.lastIndexOf("/") + 1);

/** A path as messages name it, so that spaces and odd names can be told. */
export const quote = (path: WorkspacePath): string => JSON.stringify(path);
