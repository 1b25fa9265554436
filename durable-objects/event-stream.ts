import {
  type AcceptRequest,
  type CallAnswer,
  type SessionApi,
  STREAM_ANSWER,
  type StreamMethod,
  type TailRequest,
} from "../src/shared/session-api.ts";
import type { SessionAddress } from "../src/shared/session-address.ts";
/**
 * The bytes of a tail. Writes to this kind of stream wait for the output gate, so nothing is seen before it is stored; a
 * stream made in JavaScript would not wait. A reader that leaves ends its tail and nothing else; a tail that fails breaks
 * its stream off, and the reader resumes.
 */
export function eventStream(
  ctx: Pick<DurableObjectState, "waitUntil">,
  run: (write: (text: string) => Promise<void>) => Promise<void>,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  ctx.waitUntil(
    run((text) => writer.write(encoder.encode(text)))
      .then(() => writer.close())
      .catch((error: unknown) => writer.abort(error).catch(() => {})),
  );
  return readable;
}

type StreamCall =
  | {
      readonly method: "answerAndTail";
      readonly args: [SessionAddress, readonly CallAnswer[], string, string?];
    }
  | { readonly method: "acceptAndTail"; readonly args: [SessionAddress, AcceptRequest] }
  | { readonly method: "openTail"; readonly args: [SessionAddress, TailRequest] };

/** Answers a request that calls one of these methods: the stream is the body, the rest of the answer a header. */
export async function streamed(
  request: Request,
  api: Pick<SessionApi, StreamMethod>,
): Promise<Response> {
  const { method, args } = await request.json<StreamCall>();
  const answer = await (method === "openTail"
    ? api.openTail(...args)
    : method === "answerAndTail"
      ? api.answerAndTail(...args)
      : api.acceptAndTail(...args));
  if (!answer.ok) return Response.json(answer);
  const { events, ...head } = answer;
  return new Response(events, { headers: { [STREAM_ANSWER]: JSON.stringify(head) } });
}
