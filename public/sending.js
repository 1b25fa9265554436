import { ApiError, isGone, putMode } from "./api.js";
import { deliver } from "./outbox.js";
import { titleOf } from "./sessions.js";

/**
 * @typedef {import('./draft.js').Draft} Draft
 * @typedef {import('./chat.js').Chat} Chat
 */

/**
 * Hands a message over. The draft tells how that goes, and is empty once the message is accepted.
 * @param {Draft} draft
 * @param {Chat} chat
 * @param {{
 *   sessions: import('./sessions.js').Sessions, change: () => void,
 *   accepted: (turn: string, message: Pick<Draft, 'content' | 'whenBusy'>) => void,
 * }} page
 */
export async function sendDraft(draft, chat, { sessions, change, accepted }) {
  const { content, whenBusy } = draft;
  const turn = draft.seal();
  sessions.put(chat.id, {
    at: Date.now(),
    ...(sessions.find(chat.id)?.title ? {} : { title: titleOf(draft.text) }),
  });
  const abort = new AbortController();
  draft.delivery = { state: "sending", abort };
  change();
  try {
    await setMode(draft, chat);
    await deliver(chat.id, turn, {
      signal: abort.signal,
      onWait: (error) => {
        draft.delivery = { state: "waiting", abort, error };
        change();
      },
    });
    draft.clear();
    accepted(turn.key, { content, whenBusy });
  } catch (error) {
    if (isGone(error)) chat.lose(error);
    const isRefused = error instanceof ApiError && !isGone(error);
    draft.delivery = isRefused ? { state: "refused", error } : { state: "idle" };
  }
  change();
}

/** The first message is answered in the mode that was chosen for it. @param {Draft} draft @param {Chat} chat */
async function setMode(draft, chat) {
  if (draft.mode === null) return;
  await putMode(chat.id, draft.mode);
  chat.setMode(draft.mode);
  draft.mode = null;
}
