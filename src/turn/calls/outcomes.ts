import type { Evicted } from "../../session/entries.ts";
import type { ContentPart } from "../../shared/messages.ts";
import { cutAt } from "../../shared/text.ts";
import { truncate } from "../../tools/truncate.ts";
import type { ToolOutput } from "../../tools/tool.ts";
import type { ToolOutcome } from "../capability.ts";
import type { GoesOn } from "../tasks/background.ts";

/** Text of one result at most; beyond, it is cut and says so. */
export const MAX_RESULT_CHARS = 100_000;
/** Images in one result at most, as base64: 1 MiB of bytes. */
const MAX_IMAGE_CHARS = 1_400_000;

/** As it is stored. `evicted`: the text went to a file, and `content` shows its ends. */
export type StoredOutcome = ToolOutcome & {
  readonly evicted?: Evicted;
  /** Its tool goes on in the background; what is said is that. */
  readonly goesOn?: GoesOn;
};

/** What a tool gave. */
export function succeeded(output: ToolOutput): ToolOutcome {
  if (typeof output === "string")
    return { status: "success", content: [{ type: "text", text: output }] };
  if ("holds" in output) return { status: "success", content: [], ...output };
  return { status: "success", ...("content" in output ? output : { content: output }) };
}

const said = (status: ToolOutcome["status"], text: string): ToolOutcome => ({
  status,
  content: [{ type: "text", text }],
});

/** What the model is told when a call could not be made as it is, or failed as expected. */
export const failed = (text: string): ToolOutcome => said("error", text);

/** What is not allowed here; nobody is asked. */
export const forbidden = (reason: string): ToolOutcome => said("denied", `Not run: ${reason}`);

/** What an interrupted call came to whose probe says that it was done. */
export const confirmedOutcome = said("success", "Done (confirmed after an interruption).");

/** What nobody knows the outcome of. `because` is a sentence, with a space after it. */
export const unknownOutcome = (because = "The call was interrupted. "): ToolOutcome =>
  said(
    "unknown",
    `${because}Whether it had its effect is unknown; it was not run again. Check before repeating it.`,
  );

/** Of a name under which a result is kept. */
const MAX_KEEP_CHARS = 200;

/**
 * The outcome cut to what a row holds. A text that was cut shows no file whole. Only a success is kept, or changes
 * anything in its session.
 */
export function bounded(outcome: StoredOutcome): StoredOutcome {
  let chars = 0;
  let images = 0;
  const content = outcome.content.flatMap((part): ContentPart[] => {
    if (part.type === "text") {
      const left = MAX_RESULT_CHARS - chars;
      chars += part.text.length;
      return left > 0 ? [{ type: "text", text: truncate(part.text, left) }] : [];
    }
    images += part.data.length;
    if (images <= MAX_IMAGE_CHARS) return [part];
    const text = `[An image of ${part.mediaType} was left out: the result is too large.]`;
    return [{ type: "text", text }];
  });
  const { status, seen, keep = "", activates = [], plan, todos, evicted } = outcome;
  const isSuccess = status === "success";
  return {
    status,
    content,
    ...(seen === undefined || chars > MAX_RESULT_CHARS ? {} : { seen }),
    ...(isSuccess && keep !== "" ? { keep: cutAt(keep, MAX_KEEP_CHARS) } : {}),
    ...(isSuccess && activates.length > 0 ? { activates } : {}),
    ...(isSuccess && plan !== undefined ? { plan } : {}),
    ...(isSuccess && todos !== undefined ? { todos } : {}),
    ...(evicted === undefined ? {} : { evicted }),
  };
}
