import { Draft } from "./draft.js";

/** The message that is being written in each conversation. */
export class Drafts {
  /** @type {Map<string, Draft>} */
  #drafts = new Map();

  /** @param {string} session Empty for a conversation that has not begun. */
  of(session) {
    const draft = this.#drafts.get(session) ?? new Draft(session);
    this.#drafts.set(session, draft);
    return draft;
  }

  /** The new conversation has an id now, and its first message belongs to it. @param {Draft} draft @param {string} session */
  adopt(draft, session) {
    this.#drafts.delete(draft.session);
    const { text } = draft;
    draft.text = "";
    draft.save();
    draft.text = text;
    draft.session = session;
    this.#drafts.set(session, draft);
  }

  /** What was written for a conversation that is no more becomes the beginning of a new one. @param {string} session */
  rescue(session) {
    const { text, pictures } = this.of(session);
    this.forget(session);
    const draft = this.of("");
    if (text.trim() !== "") draft.text = text;
    if (pictures.length > 0) draft.pictures = pictures;
    draft.save();
  }

  /** @param {string} session */
  forget(session) {
    this.of(session).clear();
    this.#drafts.delete(session);
  }
}
