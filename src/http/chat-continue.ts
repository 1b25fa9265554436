import { CarrelError, invalid } from "../shared/errors.ts";
import { replyId, turnOfMessage } from "../shared/ids.ts";
import type { HistoryPage } from "../shared/session-api.ts";
import { answersIn } from "./chat-answers.ts";
import type { ChatBody } from "./chat-body.ts";
import { toStream, type Chat, type ChatStream } from "./chat-turns.ts";
import { callSession } from "./session-stub.ts";
import { catchUp, shownParts } from "./ui-catch-up.ts";
import type { UiChunk } from "./ui-chunks.ts";
import { toEnd, UiMessageMapper } from "./ui-message-mapper.ts";
import { uiMessageText } from "./ui-message-stream.ts";
import { endOf, type Answer } from "./ui-messages.ts";

/** Messages of the page in which an older answer is looked for. */
const MANY = 50;

/** Whether a POST asks to go on in an answer: the newest message is one, or `messageId` names one. */
export const continues = (body: ChatBody): boolean =>
  body.last.role === "assistant" || (body.messageId ?? "").endsWith(".reply");

/**
 * Answers the calls that wait, as far as the client's messages do, and goes on in the answer that they are in, from what
 * the client shows of it. Without anything that is answered by it, as when the same is sent twice or too late, the client
 * is told how the answer stands and what follows. Safe to repeat. Throws `CarrelError`: `conflict` when there is nothing
 * to answer and nothing to tell, so that a client which sends by itself stops; `invalid` for an answer that is not part
 * of the chat.
 */
export async function continueAnswer(chat: Chat, body: ChatBody): Promise<ChatStream> {
  const { env, address, by, clientTools } = chat;
  const newest = await pageOf(chat, 1);
  const answers = answersIn(body.messages, newest.status.pending);
  const pending = newest.status.pending.find(({ call }) => call === answers[0]?.call);
  const { answer, last } = await findAnswer(
    chat,
    newest,
    pending ? replyId(pending.turn) : baseOf(body),
  );
  const shown = shownParts(body.messages.find(({ id }) => id === answer.id));
  const answered = new Set(answers.map(({ call }) => call));
  const { chunks, isAhead } = catchUp(answer, shown, clientTools, answered);
  const head: UiChunk[] = [{ type: "start", messageId: answer.id }, ...chunks];
  const end = endOf(answer);
  if (end) {
    if (chunks.length === 0) throw nothingToAnswer();
    return uiMessageText([...head, ...toEnd(end, "stop")]);
  }
  const { turn } = answer;
  const { events } = await (answers.length > 0
    ? callSession(env, address, (session) => session.answerAndTail(address, answers, by, last))
    : callSession(env, address, (session) =>
        session.openTail(address, { until: turn, after: last }),
      ));
  const mapper = UiMessageMapper.after(answer, clientTools, isAhead);
  return toStream(chat, { turn, events }, { after: last, mapper, head });
}

/** The answer in which the client goes on: the one that it names, else its newest message. */
function baseOf({ messages, messageId, last }: ChatBody): string {
  const named = messageId ?? last.id;
  if (messages.some(({ id, role }) => id === named && role === "assistant")) return named;
  if (last.role === "assistant") return last.id;
  throw invalid(
    "messages: must hold the answer that messageId names, so that it is known what it answers.",
  );
}

/** The answer with this id, and the event up to which it is told. */
async function findAnswer(
  chat: Chat,
  newest: HistoryPage,
  id: string,
): Promise<{ readonly answer: Answer; readonly last: string }> {
  const found = answerIn(newest, id);
  if (found) return { answer: found, last: newest.status.last };
  const page = await pageOf(chat, MANY);
  const older = answerIn(page, id);
  if (older) return { answer: older, last: page.status.last };
  throw invalid(
    `The last message must be the new message of the user, or an answer of this chat that waits for one. Nothing waits in "${turnOfMessage(id).slice(0, 100)}".`,
  );
}

const answerIn = ({ messages }: HistoryPage, id: string): Answer | undefined =>
  messages.find((message): message is Answer => message.role === "assistant" && message.id === id);

async function pageOf({ env, address }: Chat, limit: number): Promise<HistoryPage> {
  const { page } = await callSession(env, address, (session) =>
    session.history(address, { limit }),
  );
  return page;
}

const nothingToAnswer = (): CarrelError =>
  new CarrelError(
    "conflict",
    "Nothing in this chat waits for an answer: the last one is over. Send a new message.",
  );
