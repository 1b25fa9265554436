import { CarrelError } from "../shared/errors.ts";
import { consoleLog, errorFacts } from "../shared/log.ts";
import type { ReadAnswer } from "../shared/workspace-api.ts";
import type { LayerName } from "../shared/workspace-files.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { bytesOf } from "./files-answer.ts";
import { given } from "./files-query.ts";

/** So many bytes are read again with the next part: another log, in place of the one that began, has others. */
const OVERLAP = 1_024;

/**
 * All bytes of a file whose first part has been read: exactly as many as it had then, also when it has grown since.
 * One part is in memory at a time. Throws when it is not the same log any more.
 */
export async function* wholeFile(
  workspace: Pick<Workspace, "read">,
  first: ReadAnswer,
  layer: LayerName | undefined,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const { path, size } = first.file;
  let part = bytesOf(first.content);
  for (let at = part.length; ; at += part.length) {
    const seen = part.slice(-OVERLAP);
    yield part;
    if (at === size) return;
    const from = at - seen.length;
    const { content } = await workspace.read({ path, from, ...given({ layer }) });
    const found = bytesOf(content);
    part = found.subarray(seen.length, seen.length + size - at);
    if (part.length === 0 || !seen.every((byte, index) => byte === found[index]))
      throw new CarrelError("conflict", `${JSON.stringify(path)} was replaced while it was read.`);
  }
}

/**
 * The body of an answer, made as it is read. An error breaks it off, so that nobody takes what came for all there is,
 * and leaves a line `event` in the log.
 */
export function streamOf(
  chunks: AsyncGenerator<Uint8Array, void, undefined>,
  event: string,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          consoleLog("error", event, errorFacts(error));
          throw error;
        }
      },
      async cancel() {
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
}
