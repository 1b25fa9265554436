import { byId, setText } from "./dom.js";

/** How long a lost connection may go unmentioned, in milliseconds: idle ones end every minute and come back. */
const QUIET = { busy: 1_500, idle: 6_000 };

/** Says that events do not come, once that lasts. */
export class ConnectionLabel {
  #node = byId("connection");
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {import('./chat.js').Chat | null} chat */
  render(chat) {
    if (chat?.connection !== "lost") {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      setText(this.#node, "");
    } else {
      const wait = chat.isBusy ? QUIET.busy : QUIET.idle;
      this.#timer ??= setTimeout(() => setText(this.#node, "Reconnecting…"), wait);
    }
  }
}
