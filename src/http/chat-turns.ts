import type { Env } from "../env.ts";
import { CarrelError } from "../shared/errors.ts";
import { parseKey } from "../shared/ids.ts";
import type { AcceptRequest, TurnInput, TurnView } from "../shared/session-api.ts";
import type { SessionAddress } from "../shared/session-address.ts";
import { answersIn, mayAnswer } from "./chat-answers.ts";
import { readUserMessage, type ChatBody } from "./chat-body.ts";
import { given } from "./files-query.ts";
import { digestOf } from "./message.ts";
import { callSession } from "./session-stub.ts";
import type { UiChunk } from "./ui-chunks.ts";
import { UiMessageMapper } from "./ui-message-mapper.ts";
import { uiMessageStream } from "./ui-message-stream.ts";
import type { ClientTools } from "./ui-tool-part.ts";

/** A session as an AI SDK client speaks to it. */
export type Chat = {
  readonly env: Env;
  readonly address: SessionAddress;
  /** The caller's name, for what is stored of them. */
  readonly by: string;
  readonly clientTools: ClientTools;
};

/** The body of an answer to an AI SDK client. */
export type ChatStream = ReadableStream<Uint8Array> | string;

const MAX_CLAIMED = 20;

/**
 * Takes in the newest message. One that was sent before is the same turn again, from its start. What the messages before
 * it answer is answered with it: a person who decided and wrote on has not left the question open.
 */
export async function submit(chat: Chat, body: ChatBody): Promise<ChatStream> {
  const request = await toRequest(body);
  const answers = mayAnswer(body.messages, chat.clientTools) ? await answersOf(chat, body) : {};
  try {
    return await accept(chat, { ...request, ...answers });
  } catch (error) {
    throw isReused(error) ? cannotEdit() : error;
  }
}

/** What the messages answer of the calls that wait. Where any of it is refused, the calls stay open and the message counts. */
async function answersOf(
  { env, address, by }: Chat,
  body: ChatBody,
): Promise<Pick<AcceptRequest, "answers">> {
  const { page } = await callSession(env, address, (session) =>
    session.history(address, { limit: 1 }),
  );
  try {
    const list = answersIn(body.messages, page.status.pending);
    return list.length === 0 ? {} : { answers: { by, list } };
  } catch (error) {
    if (error instanceof CarrelError) return {};
    throw error;
  }
}

/** Gives the newest message another answer, unless it has none yet: then that one is awaited. */
export async function regenerate(chat: Chat, body: ChatBody, key?: string): Promise<ChatStream> {
  const reply = body.messageId ?? body.last.id;
  if (reply === body.last.id && body.last.role === "user") {
    const open = await firstAnswer(chat, body);
    if (open) return open;
  }
  const input: TurnInput = { kind: "regenerate", reply };
  return await accept(chat, {
    key: parseKey(key ?? crypto.randomUUID()),
    digest: await digestOf(input),
    input,
    ...commonOf(body),
  });
}

/**
 * The turn of a message that still waits for its first answer; `null` when it was answered. A button "try again"
 * calls `regenerate()` too when the message never arrived, or when only the connection broke.
 */
async function firstAnswer(chat: Chat, body: ChatBody): Promise<ChatStream | null> {
  const { env, address } = chat;
  const request = await toRequest(body);
  try {
    const { turn } = await callSession(env, address, (session) => session.accept(address, request));
    return isEnded(turn) ? null : await follow(chat, turn.turn);
  } catch (error) {
    if (isReused(error)) return null;
    throw error;
  }
}

/** A turn from its start. */
export async function follow(chat: Chat, turn: string): Promise<ChatStream> {
  const { events } = await callSession(chat.env, chat.address, (session) =>
    session.openTail(chat.address, { until: turn }),
  );
  return toStream(chat, { turn, events });
}

async function accept(chat: Chat, request: AcceptRequest): Promise<ChatStream> {
  const { turn, events } = await callSession(chat.env, chat.address, (session) =>
    session.acceptAndTail(chat.address, request),
  );
  return toStream(chat, { turn: turn.turn, events });
}

/** `events` of a turn as the client is told them. With `from`: those after an event, to a client that was told `head`. */
export function toStream(
  { env, address, clientTools }: Chat,
  opened: { readonly turn: string; readonly events: ReadableStream<Uint8Array> },
  from?: {
    readonly after: string;
    readonly mapper: UiMessageMapper;
    readonly head: readonly UiChunk[];
  },
): ReadableStream<Uint8Array> {
  const reopen = async (turn: string, after: string | null) => {
    const request = { until: turn, ...(after === null ? {} : { after }) };
    const { events } = await callSession(env, address, (session) =>
      session.openTail(address, request),
    );
    return events;
  };
  const source = { ...opened, reopen };
  return from
    ? uiMessageStream({ ...source, after: from.after }, from.mapper, from.head)
    : uiMessageStream(source, new UiMessageMapper(clientTools));
}

async function toRequest(body: ChatBody): Promise<AcceptRequest> {
  const { key, content } = readUserMessage(body.last);
  const input: TurnInput = { kind: "message", content };
  return { key, digest: await digestOf(input), input, ...commonOf(body) };
}

/**
 * `claimed`: the answers that the client says are part of the chat; one that the session never gave is refused. Messages
 * of the user are not among them, since a client keeps those that were refused. Only the newest are looked up, so that a
 * turn costs the same however long the history is that a client sends along; nothing of it is believed anyway.
 */
const commonOf = (body: ChatBody): Pick<AcceptRequest, "claimed" | "whenBusy" | "timeZone"> => ({
  claimed: body.messages
    .filter(({ role }) => role === "assistant")
    .slice(-MAX_CLAIMED)
    .map(({ id }) => id),
  ...given({ whenBusy: body.whenBusy, timeZone: body.timeZone }),
});

const isEnded = ({ state }: TurnView): boolean =>
  state === "completed" || state === "failed" || state === "stopped";

const isReused = (error: unknown): boolean =>
  error instanceof CarrelError && error.code === "key_reused";

const cannotEdit = (): CarrelError =>
  new CarrelError(
    "key_reused",
    "A message with this id was sent before, and what was sent cannot be edited. Send a new message with an id of its own.",
  );
