import { unitOf } from "./path-rules.ts";
import type { WorkspacePath } from "./path.ts";
import { createTemplate, type Template, type TemplateContent } from "./template.ts";

/** A file given by code. Bytes that are text (UTF-8 without NUL, at most `textBytes`) are the same as that text. */
export function contentOf(given: string | Uint8Array, textBytes: number): TemplateContent {
  const bytes = typeof given === "string" ? new TextEncoder().encode(given) : given;
  if (bytes.length > textBytes || bytes.includes(0)) return { bytes };
  if (typeof given === "string" && given.isWellFormed()) return { text: given };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { bytes };
  }
}

/**
 * A template of the `lower` files with others over them. What overrides as a unit does so here, too: a skill's
 * directory replaces the lower one whole. Its version changes with every byte of either.
 */
export function layOver(
  lower: Template,
  files: readonly (readonly [WorkspacePath, TemplateContent])[],
): Template {
  const units = new Set(files.map(([path]) => unitOf(path)));
  const visible = lower.paths.flatMap((path) => {
    const content = units.has(unitOf(path)) ? null : lower.read(path);
    return content ? [[path, content] as const] : [];
  });
  const version = fingerprint([
    lower.version,
    ...files
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([path, content]) => [path, "text" in content ? content.text : content.bytes]),
  ]);
  return createTemplate(Object.fromEntries([...visible, ...files]), version);
}

/** Multipliers of four independent lanes of FNV-1a, 32 bits each. */
const PRIMES: readonly number[] = [0x01000193, 0x0100019d, 0x010001a5, 0x010001c1];

/**
 * 32 hex digits that differ for different lists. Not against an adversary, who would have to be the operator; the
 * platform's digests cannot be used, as they are asynchronous and a deployment is put together synchronously.
 */
function fingerprint(parts: readonly (string | Uint8Array)[]): string {
  const encoder = new TextEncoder();
  const lanes = PRIMES.map((_, at) => 0x811c9dc5 ^ at);
  for (const part of parts) {
    const bytes = typeof part === "string" ? encoder.encode(part) : part;
    const length = encoder.encode(`${typeof part}${bytes.length}:`);
    for (const [at, prime] of PRIMES.entries()) {
      let lane = lanes[at] ?? 0;
      for (const byte of length) lane = Math.imul(lane ^ byte, prime);
      for (const byte of bytes) lane = Math.imul(lane ^ byte, prime);
      lanes[at] = lane;
    }
  }
  return lanes.map((lane) => (lane >>> 0).toString(16).padStart(8, "0")).join("");
}
