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
