import type { SearchSource } from "../../shared/workspace-api.ts";
import { isLog } from "../change/content.ts";
import type { WorkspacePath } from "../layers/path.ts";

/** The records of forgetting: what they name is never found. */
export const FORGOTTEN = "memory/.forgotten.jsonl" as WorkspacePath;

const LEDGER = /^memory\/(\d{4}-\d{2}-\d{2})\.md$/;
const SESSION = /^agents\/[^/]+\/sessions\/([^/]+)\.log\.jsonl$/;
const HIDDEN = /(?:^|\/)\./;

/** What kind of text a file is for search; `null`: it is not searched. Nothing below a name with a dot is. */
export function sourceOf(path: WorkspacePath): SearchSource | null {
  if (HIDDEN.test(path)) return null;
  if (path === "MEMORY.md") return "memory";
  if (path.startsWith("memory/archive/")) return "archive";
  if (path.startsWith("memory/")) return LEDGER.test(path) ? "ledger" : "memory";
  if (path.startsWith("knowledge/")) return "knowledge";
  return SESSION.test(path) && isLog(path) ? "session" : null;
}

/** The session whose log this is; empty for another file. */
export const sessionOf = (path: string): string => SESSION.exec(path)?.[1] ?? "";

/** The day that a file's name says, as UTC midnight in milliseconds; `null` where it says none. */
export function dayOf(path: string): number | null {
  const day = /(?:^|\/)(\d{4}-\d{2}-\d{2})[^/]*$/.exec(path)?.[1];
  const at = day === undefined ? Number.NaN : Date.parse(day);
  return Number.isNaN(at) ? null : at;
}
