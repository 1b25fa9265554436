/**
 * The frames of a server-sent event stream that carry data. Comments, which only say that the line is alive,
 * give nothing but a call of `onSign`, like everything else that arrives.
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} stream
 * @param {() => void} onSign
 * @returns {AsyncGenerator<{ id: string | null, data: string }, void>}
 */
export async function* readFrames(stream, onSign) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onSign();
      const frames = (rest + value).split("\n\n");
      rest = frames.pop() ?? "";
      for (const text of frames) {
        const frame = parseFrame(text);
        if (frame) yield frame;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** @param {string} text */
function parseFrame(text) {
  let id = null;
  const data = [];
  for (const line of text.split("\n")) {
    const [, field, value = ""] = /^(id|data): ?(.*)$/.exec(line) ?? [];
    if (field === "id") id = value;
    if (field === "data") data.push(value);
  }
  return data.length === 0 ? null : { id, data: data.join("\n") };
}
