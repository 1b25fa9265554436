import { fetchPermissions, putMode, putPermissions } from "./api.js";
import { byId } from "./dom.js";
import { ModeControl } from "./mode.js";
import { openRules } from "./rules.js";
import { EMPTY } from "./transcript.js";
import { WorkBar } from "./work.js";

/** What the agent may do in the open conversation: its mode, its rules, and whether it plans first. */
export class PermissionsControl {
  /** Those that the operator offers, the same in all conversations with the agent. @type {import('./mode.js').Now['modes']} */
  #modes = null;
  #chat;
  #draft;
  #fail;
  #change;
  #work;
  #mode = new ModeControl({
    choose: (mode) => this.#choose(mode),
    look: () => void this.#look(),
  });

  /**
   * @param {{
   *   chat: () => import('./chat.js').Chat | null, draft: () => import('./draft.js').Draft,
   *   change: () => void, fail: (error: Error) => void, openFile: (path: string) => void,
   * }} page
   */
  constructor({ chat, draft, change, fail, openFile }) {
    this.#chat = chat;
    this.#draft = draft;
    this.#change = change;
    this.#fail = fail;
    this.#work = new WorkBar((active) => this.#setPlan(active), openFile);
    byId("rules").addEventListener("click", () => this.#openRules());
  }

  render() {
    const chat = this.#chat();
    byId("rules").hidden = !chat || chat.isMissing;
    this.#mode.render({
      mode: chat?.transcript.mode ?? this.#draft().mode,
      modes: this.#modes,
      waiting: chat?.approvals.length ?? 0,
    });
    this.#work.render((chat?.transcript ?? EMPTY).work);
  }

  /** @param {boolean} active */
  async #setPlan(active) {
    try {
      await this.#chat()?.setPlan(active);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** A conversation that has not begun begins with it. @param {import('./mode.js').PermissionMode} mode */
  async #choose(mode) {
    const chat = this.#chat();
    if (!chat) {
      this.#draft().mode = mode;
      return this.#change();
    }
    try {
      await putMode(chat.id, mode);
      chat.setMode(mode);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #look() {
    const chat = this.#chat();
    if (!chat || chat.isMissing || this.#modes !== null) return;
    // Not known is not refused: the server checks what is chosen.
    this.#modes = await fetchPermissions(chat.id).then(
      ({ modes }) => modes,
      () => null,
    );
    this.#change();
  }

  #openRules() {
    const id = this.#chat()?.id;
    if (id === undefined) return;
    openRules({
      read: () => fetchPermissions(id),
      change: (change) => putPermissions(id, change),
    });
  }
}
