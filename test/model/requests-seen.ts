import type { Fetch } from "../../src/shared/guarded-fetch.ts";
import { replyWith } from "../contracts/model-wire-fetch.ts";

export type SeenRequest = {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Record<string, unknown>;
};

/** A `fetch` that always answers `body`, and the requests that it saw, oldest first. */
export function recordingFetch(body: string): { fetch: Fetch; seen: SeenRequest[] } {
  const seen: SeenRequest[] = [];
  const reply = replyWith(body);
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init);
    const { url, method, headers } = request;
    const sent: Record<string, unknown> = await request.json();
    seen.push({ url, method, headers: Object.fromEntries(headers), body: sent });
    return reply(input, init);
  };
  return { fetch, seen };
}
