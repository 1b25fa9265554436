import { invalid } from "../../shared/errors.ts";

/** Deeper than any file of ours, and shallow enough for every JSON reader. */
const MAX_DEPTH = 64;

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * `target` after a JSON merge patch (RFC 7396): members of `patch` replace those of the same name, objects are merged,
 * `null` removes. Kept members stay in their order and new ones follow. Neither argument is changed. Throws
 * `CarrelError('invalid')` when either is no JSON value, or is nested more than 64 deep.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  assertJson(patch, MAX_DEPTH);
  assertJson(target, MAX_DEPTH);
  return merged(target, patch);
}

/** Whether a JSON value is an object: neither an array nor `null`. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function merged(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const members = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, merged(members.get(name), value));
  }
  // Also a member called `__proto__` is a plain one here.
  return Object.fromEntries(members);
}

function assertJson(value: unknown, depth: number): void {
  if (depth < 0)
    throw invalid(`JSON that is merged must not be nested more than ${MAX_DEPTH} deep.`);
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number" && Number.isFinite(value)) return;
  if (Array.isArray(value)) {
    for (const item of value) assertJson(item, depth - 1);
    return;
  }
  const isPlain =
    isJsonObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));
  if (!isPlain) throw invalid("A merge patch must hold JSON values only.");
  for (const member of Object.values(value)) assertJson(member, depth - 1);
}
