import type { Fetch } from "../../src/shared/guarded-fetch.ts";

const eventStream = { "content-type": "text/event-stream" };

/** Answers every request with `body`; with a status, as JSON. Other options are headers. */
export function replyWith(
  body: string,
  { status, ...headers }: { status?: number; [header: string]: string | number | undefined } = {},
): Fetch {
  const type = status === undefined ? eventStream : { "content-type": "application/json" };
  const fields = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return async () =>
    new Response(body, {
      status: status ?? 200,
      headers: { ...type, ...Object.fromEntries(fields) },
    });
}

/** Answers with a stream in which every piece is a read of its own. */
export function inPieces(pieces: readonly Uint8Array[]): Fetch {
  return async () => {
    let next = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const piece = pieces[next++];
          if (piece) controller.enqueue(piece);
          else controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { headers: eventStream });
  };
}

/** Sends `text`, and breaks when `moment` has come. */
export function brokenOff(text: string, moment: Promise<void>): Fetch {
  return async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text));
        void moment.then(() => controller.error(new TypeError("terminated")));
      },
    });
    return new Response(body, { headers: eventStream });
  };
}

/** Never answers, as `fetch` does not until its signal aborts. `onCall` runs once it waits. */
export function heldOpen(onCall: () => void): Fetch {
  return (_, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      queueMicrotask(onCall);
    });
}
