import * as z from "zod";
import type { ContentPart } from "../shared/messages.ts";
import { sha256Hex } from "../shared/sha256.ts";
import { utf8Length } from "../shared/text.ts";
import type { TurnInput } from "../shared/session-api.ts";

const MAX_TEXT = 400_000;
const MAX_IMAGES = 1_000_000;
/** Of all of it as JSON, in UTF-8: a row of the session has to hold it. */
const MAX_BYTES = 1_700_000;

const Text = z.strictObject({ type: z.literal("text"), text: z.string() });

const Image = z.strictObject({
  type: z.literal("image"),
  mediaType: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
  data: z.base64("must be base64").min(1),
});

/** Parts of one message. */
export const MAX_PARTS = 20;

const Parts = z
  .array(z.discriminatedUnion("type", [Text, Image], 'must be "text" or "image"'))
  .min(1)
  .max(MAX_PARTS);

/** A user's message: a text, or up to 20 parts of text and images. At most 400,000 characters and 1 MB of images. */
export const Message = z
  .union([z.string(), Parts], "must be a text or a list of text and image parts")
  .transform((message) =>
    typeof message === "string" ? [{ type: "text" as const, text: message }] : message,
  )
  .superRefine(withinLimits);

/** Adds an issue for each limit of a message that these parts exceed. */
export function withinLimits(parts: readonly ContentPart[], context: z.core.$RefinementCtx): void {
  let text = 0;
  let images = 0;
  for (const part of parts) {
    if (part.type === "text") text += part.text.length;
    else images += part.data.length;
  }
  const add = (message: string) => context.addIssue({ code: "custom", message });
  if (text > MAX_TEXT) add(`may hold at most ${MAX_TEXT} characters of text`);
  if (images > MAX_IMAGES) add(`may hold at most ${MAX_IMAGES} bytes of images as base64`);
  if (utf8Length(JSON.stringify(parts)) > MAX_BYTES)
    add(`may hold at most ${MAX_BYTES} bytes of text and images together`);
  if (images === 0 && parts.every((part) => part.type === "text" && part.text.trim() === ""))
    add("must not be blank");
}

/** SHA-256 of what a turn is asked, hex: the same for the same input, whoever parsed it. */
export const digestOf = (input: TurnInput): Promise<string> =>
  sha256Hex(new TextEncoder().encode(JSON.stringify(input)));
