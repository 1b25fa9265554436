import type { Metadata } from "./language-model-types.ts";

/**
 * What a provider attached to a thought (`call` absent) or to the answer's n-th tool call, and wants back. It
 * travels in the signature of a reasoning part, the one place a step has for it.
 */
export type SignedMetadata = { readonly call?: number; readonly metadata: Metadata };

/** One JSON line, so that signatures put together can be told apart again. */
export const writeSignature = (signed: SignedMetadata): string => `${JSON.stringify(signed)}\n`;

/** The entries of a signature; none when it is another adapter's. */
export function readSignature(signature = ""): SignedMetadata[] {
  return signature.split("\n").flatMap((line) => {
    if (!line.startsWith("{")) return [];
    try {
      const value: Partial<SignedMetadata> = JSON.parse(line);
      const { call, metadata } = value;
      if (typeof metadata !== "object" || metadata === null) return [];
      return [typeof call === "number" ? { call, metadata } : { metadata }];
    } catch {
      return [];
    }
  });
}
