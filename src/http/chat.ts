import { Hono, type Context } from "hono";
import { CarrelError, notFound } from "../shared/errors.ts";
import { parseId, parseKey, sessionAddress } from "../shared/ids.ts";
import type { AcceptRequest, SessionAddress, TurnInput, TurnView } from "../shared/session-api.ts";
import type { AppEnv } from "./app-env.ts";
import { readChatBody, readUserMessage, type ChatBody } from "./chat-body.ts";
import { digestOf } from "./message.ts";
import { callSession } from "./session-stub.ts";
import { wholeNumber } from "./sessions.ts";
import { uiMessageStream } from "./ui-message-stream.ts";
import { toUiMessages } from "./ui-messages.ts";

const MAX_CLAIMED = 20;

/** As the AI SDK's own servers send it. */
const UI_MESSAGE_STREAM: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  connection: "keep-alive",
  "x-vercel-ai-ui-message-stream": "v1",
  "x-accel-buffering": "no",
};

/**
 * What the AI SDK's `useChat` speaks, below `/api/chat`. A chat is the session of the same id, of the agent that
 * `?agent=` or the body names, else of `main`. Leaving a stream, also by `useChat`'s own `stop()`, does not stop the
 * turn: the native `stop` route does.
 */
export function chatRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.post("/", async (c) => {
    const body = await readChatBody(c.req.raw);
    const address = addressOf(c, body.id, body.agent);
    const isNew = body.trigger === "submit-message";
    return answer(c, address, await (isNew ? submit : regenerate)(c, address, body));
  });

  routes.get("/:id/stream", async (c) => {
    const address = addressOf(c, c.req.param("id"));
    const { turn } = await callSession(c.env, address, (session) => session.current(address));
    return turn ? answer(c, address, await follow(c, address, turn)) : c.body(null, 204);
  });

  routes.get("/:id/messages", async (c) => {
    const address = addressOf(c, c.req.param("id"));
    const limit = wholeNumber("limit", c.req.query("limit"), 1, 200) ?? 50;
    const before = wholeNumber("before", c.req.query("before"), 1, Number.MAX_SAFE_INTEGER);
    const query = before === undefined ? { limit } : { limit, before };
    const { page } = await callSession(c.env, address, (session) =>
      session.history(address, query),
    );
    return c.json({ messages: toUiMessages(page.messages), before: page.before });
  });

  return routes;
}

type Opened = { readonly turn: TurnView; readonly events: ReadableStream<Uint8Array> };

/** Takes in the newest message. One that was sent before is the same turn again, from its start. */
async function submit(
  c: Context<AppEnv>,
  address: SessionAddress,
  body: ChatBody,
): Promise<Opened> {
  const request = await toRequest(body);
  try {
    return await callSession(c.env, address, (session) => session.acceptAndTail(address, request));
  } catch (error) {
    throw isReused(error) ? cannotEdit() : error;
  }
}

/** Gives the newest message another answer, unless it has none yet: then that one is awaited. */
async function regenerate(
  c: Context<AppEnv>,
  address: SessionAddress,
  body: ChatBody,
): Promise<Opened> {
  const reply = body.messageId ?? body.last.id;
  if (reply === body.last.id && body.last.role === "user") {
    const open = await firstAnswer(c, address, body);
    if (open) return open;
  }
  const input: TurnInput = { kind: "regenerate", reply };
  const key = parseKey(c.req.header("idempotency-key") ?? crypto.randomUUID());
  const request = { key, digest: await digestOf(input), input, claimed: claimedBy(body) };
  return await callSession(c.env, address, (session) => session.acceptAndTail(address, request));
}

/**
 * The turn of a message that still waits for its first answer; `null` when it was answered. A button "try again"
 * calls `regenerate()` too when the message never arrived, or when only the connection broke.
 */
async function firstAnswer(
  c: Context<AppEnv>,
  address: SessionAddress,
  body: ChatBody,
): Promise<Opened | null> {
  const request = await toRequest(body);
  try {
    const { turn } = await callSession(c.env, address, (session) =>
      session.accept(address, request),
    );
    return isEnded(turn) ? null : await follow(c, address, turn);
  } catch (error) {
    if (isReused(error)) return null;
    throw error;
  }
}

async function toRequest(body: ChatBody): Promise<AcceptRequest> {
  const { key, content } = readUserMessage(body.last);
  const input: TurnInput = { kind: "message", content };
  return { key, digest: await digestOf(input), input, claimed: claimedBy(body) };
}

/**
 * The answers that the client says are part of the chat: one that the session never gave is refused. Messages of
 * the user are not among them, since a client keeps those that were refused. Only the newest are looked up, so that a
 * turn costs the same however long the history is that a client sends along; nothing of it is believed anyway.
 */
const claimedBy = (body: ChatBody): string[] =>
  body.messages
    .filter(({ role }) => role === "assistant")
    .slice(-MAX_CLAIMED)
    .map(({ id }) => id);

const isEnded = ({ state }: TurnView): boolean =>
  state === "completed" || state === "failed" || state === "stopped";

const isReused = (error: unknown): boolean =>
  error instanceof CarrelError && error.code === "key_reused";

const cannotEdit = (): CarrelError =>
  new CarrelError(
    "key_reused",
    "A message with this id was sent before, and what was sent cannot be edited. Send a new message with an id of its own.",
  );

async function follow(
  c: Context<AppEnv>,
  address: SessionAddress,
  turn: TurnView,
): Promise<Opened> {
  const { events } = await callSession(c.env, address, (session) =>
    session.openTail(address, { until: turn.turn }),
  );
  return { turn, events };
}

function answer(c: Context<AppEnv>, address: SessionAddress, { turn, events }: Opened): Response {
  const reopen = async (after: string | null) => {
    const request = { until: turn.turn, ...(after === null ? {} : { after }) };
    const tail = await callSession(c.env, address, (session) => session.openTail(address, request));
    return tail.events;
  };
  return new Response(uiMessageStream({ events, reopen }), { headers: UI_MESSAGE_STREAM });
}

/** The user comes from the credential; an agent that does not exist is a 404. */
function addressOf(c: Context<AppEnv>, chat: string, named?: string): SessionAddress {
  const agent = parseId("The agent id", c.req.query("agent") ?? named ?? "main");
  if (!c.get("deployment").has(agent)) throw notFound(`The agent "${agent}"`);
  return sessionAddress(agent, c.get("principal").user, parseId("The chat id", chat));
}
