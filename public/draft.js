import { kept } from "./address.js";
import { readPicture } from "./picture.js";
import { placeInTime } from "./time-zone.js";

/** Of all pictures of one message, as base64. */
const MAX_PICTURES = 1_000_000;

/**
 * Where a message is on its way: with the person, being handed over, waiting to be handed over again, or
 * refused.
 * @typedef {{ state: 'idle' } | { state: 'sending', abort: AbortController }
 *   | { state: 'waiting', abort: AbortController, error: Error } | { state: 'refused', error: Error }} Delivery
 */

/**
 * A message that is not accepted yet, kept by session so that nothing is lost by looking at another one; its
 * text also survives a reload of this tab.
 */
export class Draft {
  /** @type {import('./picture.js').Picture[]} */
  pictures = [];
  /** @type {Delivery} */
  delivery = { state: "idle" };
  /** What becomes of it while a turn goes on. @type {import('./transcript.js').WhenBusy} */
  whenBusy = "queue";
  /** The mode that a conversation shall begin in. @type {import('./mode.js').PermissionMode | null} */
  mode = null;
  /** What was said when the key was made. */
  #sealed = "";

  /** @param {string} session Empty for a conversation that has not begun. */
  constructor(session) {
    this.session = session;
    const { text = "", key = "" } = restore(session);
    this.text = String(text);
    this.key = String(key);
    this.#sealed = JSON.stringify(this.#message);
  }

  get isEmpty() {
    return this.text.trim() === "" && this.pictures.length === 0;
  }

  get isOnItsWay() {
    return this.delivery.state === "sending" || this.delivery.state === "waiting";
  }

  /** @returns {import('../src/shared/messages.ts').ContentPart[]} */
  get content() {
    /** @type {import('../src/shared/messages.ts').ContentPart[]} */
    const pictures = this.pictures.map(({ mediaType, data }) => ({
      type: "image",
      mediaType,
      data,
    }));
    return this.text.trim() === ""
      ? pictures
      : [...pictures, { type: "text", text: this.text.trim() }];
  }

  get #message() {
    return this.pictures.length === 0 ? this.text.trim() : this.content;
  }

  /** The turn to hand over: the same key as before as long as the message is the same. */
  seal() {
    const sealed = JSON.stringify(this.#message);
    if (this.key === "" || sealed !== this.#sealed) this.key = crypto.randomUUID();
    this.#sealed = sealed;
    this.save();
    const { whenBusy } = this;
    const choice = whenBusy === "queue" ? {} : { whenBusy };
    const body = JSON.stringify({ message: this.#message, ...choice, ...placeInTime() });
    return { key: this.key, body };
  }

  /** The message was accepted. */
  clear() {
    this.text = "";
    this.key = "";
    this.pictures = [];
    this.whenBusy = "queue";
    this.delivery = { state: "idle" };
    this.save();
  }

  /** Keeps the text for a reload; pictures are too large for that. */
  save() {
    try {
      if (this.text === "") sessionStorage.removeItem(nameOf(this.session));
      else
        sessionStorage.setItem(
          nameOf(this.session),
          JSON.stringify({ text: this.text, key: this.pictures.length === 0 ? this.key : "" }),
        );
    } catch {
      // Full or forbidden: the text lasts as long as the page.
    }
  }

  /**
   * Adds pictures; rejects with a message for the person when one cannot be sent.
   * @param {Iterable<File>} files
   */
  async attach(files) {
    for (const file of files) {
      const used = this.pictures.reduce((sum, { data }) => sum + data.length, 0);
      const picture = await readPicture(file, MAX_PICTURES - used);
      this.pictures = [...this.pictures, picture];
    }
  }
}

/** @param {string} session */
const nameOf = (session) => `${kept("carrel.draft")}.${session}`;

/** @param {string} session */
function restore(session) {
  try {
    return JSON.parse(sessionStorage.getItem(nameOf(session)) ?? "{}") ?? {};
  } catch {
    return {};
  }
}
