import type { Gated } from "./apply-gate.ts";

/** What a gate has made of a draft, as a sentence; `null`: it waits for a person. */
export function gatedText(gated: Gated): string | null {
  switch (gated.kind) {
    case "waits":
      return null;
    case "promoted":
      return `The gate ${gated.gate} has promoted it.`;
    case "rejected":
      return `The gate ${gated.gate} has rejected it, and it was put away: ${gated.reason}`;
    case "deferred": {
      const until = new Date(gated.until).toISOString();
      const why = gated.reason === null ? "." : `: ${gated.reason}`;
      return `The gate ${gated.gate} has put the question off until ${until}${why}`;
    }
  }
}
