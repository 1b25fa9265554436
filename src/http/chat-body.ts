import * as z from "zod";
import { invalid } from "../shared/errors.ts";
import type { ContentPart } from "../shared/messages.ts";
import type { WhenBusy } from "../shared/session-api.ts";
import { checkShape, checkTree, readJson } from "./body.ts";
import { MAX_PARTS, withinLimits } from "./message.ts";
import { TimeZone } from "./time-zone.ts";

/** A client may send its whole history along, images included; only the newest message of it is kept. */
const MAX_BYTES = 8_000_000;

const Listed = z.looseObject({
  id: z.string().max(1_000),
  role: z.enum(
    ["user", "assistant"],
    "must be user or assistant; system messages are not taken from a client, the agent's prompt is the server's",
  ),
});

const Body = z.object({
  id: z.string(),
  messages: z.array(Listed).min(1, "must hold the new message").max(10_000),
  trigger: z.enum(["submit-message", "regenerate-message"]).default("submit-message"),
  messageId: z.string().max(200).nullish(),
  agent: z.string().optional(),
  whenBusy: z.enum(["queue", "steer", "replace"] satisfies WhenBusy[]).optional(),
  timeZone: TimeZone.optional(),
});

export type ListedMessage = z.output<typeof Listed>;

/**
 * What the AI SDK's `DefaultChatTransport` posts, as far as we use it; the newest message is the last one. Ours are
 * `whenBusy`, what becomes of the message while a turn runs, and `timeZone`, where the person is.
 */
export type ChatBody = z.output<typeof Body> & { readonly last: ListedMessage };

/** Reads the body of a POST of at most 8 MB. What it says about the past is neither checked nor believed here. */
export async function readChatBody(request: Request): Promise<ChatBody> {
  const body = checkShape(Body, await readJson(request, MAX_BYTES));
  const last = body.messages.at(-1);
  if (!last) throw invalid("messages: must hold the new message");
  return { ...body, last };
}

const Text = z.object({ type: z.literal("text"), text: z.string() });

const dataUrl = /^data:(image\/(?:png|jpeg|gif|webp));base64,(.+)$/;

const Image = z
  .object({ type: z.literal("file"), url: z.string() })
  .transform(({ url }, context): ContentPart => {
    const [, mediaType, data] = dataUrl.exec(url) ?? [];
    if (mediaType !== undefined && data !== undefined && z.base64().safeParse(data).success)
      return { type: "image", mediaType, data };
    context.addIssue({
      code: "custom",
      path: ["url"],
      message:
        "must be a base64 data: URL of a png, jpeg, gif or webp image; other files and remote addresses are not taken",
    });
    return z.NEVER;
  });

const UserMessage = z.object({
  id: z
    .string()
    .regex(/^[\x21-\x7e]{1,128}$/, "must be 1 to 128 printable ASCII characters without spaces")
    .refine((id) => !id.endsWith(".reply"), 'must not end with ".reply", as the ids of answers do'),
  parts: z
    .array(z.discriminatedUnion("type", [Text, Image], "must be a text or a file part"))
    .min(1)
    .max(MAX_PARTS)
    .superRefine(withinLimits),
});

/** The newest message as content, with its id as the idempotency key. Throws `CarrelError` that says what to mend. */
export function readUserMessage(message: ChatBody["last"]): {
  readonly key: string;
  readonly content: readonly ContentPart[];
} {
  checkTree(message);
  if (message.role !== "user") {
    throw invalid(
      "The last message must be the new message of the user; answers are not taken from a client.",
    );
  }
  const { id, parts } = checkShape(UserMessage, message);
  return { key: id, content: parts };
}
