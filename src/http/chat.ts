import { Hono, type Context } from "hono";
import { notFound } from "../shared/errors.ts";
import { parseId, sessionAddress } from "../shared/ids.ts";
import type { AppEnv } from "./app-env.ts";
import { readChatBody } from "./chat-body.ts";
import { continueAnswer, continues } from "./chat-continue.ts";
import { follow, regenerate, submit, type Chat } from "./chat-turns.ts";
import { wholeNumber } from "./query.ts";
import { nameOf } from "./session-address.ts";
import { callSession } from "./session-stub.ts";
import { toUiMessages } from "./ui-messages.ts";

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
 *
 * A turn that waits for approvals or for tools of the client ends its stream as the SDK's own servers do. The answers
 * come as the SDK sends them: in the parts of the assistant's message, wherever it is among the messages. The stream of
 * that POST goes on in the same message, from what the client says it shows of it. `GET stream` gives a turn from its
 * start, also one that waits: the client is asked again, and its stream ends there; the SDK builds the message anew from
 * it. So a page that loaded `GET messages`, where the questions are too, may resume or not. A new message denies what
 * waits for approval only; the page that sent it shows the old question as open until it loads its messages again.
 */
export function chatRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.post("/", async (c) => {
    const body = await readChatBody(c.req.raw);
    const chat = chatOf(c, body.id, body.agent);
    if (body.trigger === "regenerate-message")
      return streamed(await regenerate(chat, body, c.req.header("idempotency-key")));
    return streamed(await (continues(body) ? continueAnswer : submit)(chat, body));
  });

  routes.get("/:id/stream", async (c) => {
    const chat = chatOf(c, c.req.param("id"));
    const { turn } = await callSession(chat.env, chat.address, (session) =>
      session.current(chat.address),
    );
    return turn ? streamed(await follow(chat, turn.turn)) : c.body(null, 204);
  });

  routes.get("/:id/messages", async (c) => {
    const { env, address, clientTools } = chatOf(c, c.req.param("id"));
    const limit = wholeNumber("limit", c.req.query("limit"), 1, 200) ?? 50;
    const before = wholeNumber("before", c.req.query("before"), 1, Number.MAX_SAFE_INTEGER);
    const query = before === undefined ? { limit } : { limit, before };
    const { page } = await callSession(env, address, (session) => session.history(address, query));
    return c.json({ messages: toUiMessages(page.messages, clientTools), before: page.before });
  });

  return routes;
}

const streamed = (body: ReadableStream<Uint8Array> | string): Response =>
  new Response(body, { headers: UI_MESSAGE_STREAM });

/** The user comes from the credential; an agent that does not exist is a 404. */
function chatOf(c: Context<AppEnv>, id: string, named?: string): Chat {
  const agent = parseId("The agent id", c.req.query("agent") ?? named ?? "main");
  const deployment = c.get("deployment");
  if (!deployment.has(agent)) throw notFound(`The agent "${agent}"`);
  const address = sessionAddress(agent, c.get("principal").user, parseId("The chat id", id));
  return { env: c.env, address, by: nameOf(c), clientTools: deployment.clientTools(agent) };
}
