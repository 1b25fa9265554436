import { textOf } from "./api.js";
import { byId, element, icon, setText } from "./dom.js";
import { IMAGE_TYPES } from "./picture.js";
import { WhenBusyChoice } from "./when-busy.js";

const MAX_HEIGHT = 240;

/** Where a message is written. It shows a `Draft` and tells what the person did. */
export class Composer {
  #form = byId("composer");
  #message = /** @type {HTMLTextAreaElement} */ (byId("message"));
  #file = /** @type {HTMLInputElement} */ (byId("file"));
  #pictures = byId("pictures");
  #send = /** @type {HTMLButtonElement} */ (byId("send"));
  #stop = /** @type {HTMLButtonElement} */ (byId("stop"));
  #attach = /** @type {HTMLButtonElement} */ (byId("attach"));
  #notice = byId("notice");
  #whenBusy = new WhenBusyChoice((choice) => {
    if (this.#draft) this.#draft.whenBusy = choice;
    this.#actions.change();
  });
  #actions;
  /** @type {import('./draft.js').Draft | null} */
  #draft = null;
  /** @type {import('./picture.js').Picture[]} */
  #shown = [];

  /** @param {{ send: () => void, cancel: () => void, stop: () => void, change: () => void, fail: (error: Error) => void }} actions */
  constructor(actions) {
    this.#actions = actions;
    this.#send.append(icon("send"));
    this.#stop.append(icon("stop"));
    this.#attach.append(icon("attach"));
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      actions.send();
    });
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault();
      this.#message.focus();
    });
    this.#message.addEventListener("keydown", (event) => this.#onKey(event));
    this.#message.addEventListener("input", () => this.#onInput());
    this.#stop.addEventListener("click", () => actions.stop());
    this.#attach.addEventListener("click", () => this.#file.click());
    this.#file.accept = IMAGE_TYPES.join(",");
    this.#file.addEventListener("change", () => this.#take(this.#file.files));
    this.#message.addEventListener("paste", (event) => {
      if (event.clipboardData?.files.length) event.preventDefault();
      this.#take(event.clipboardData?.files ?? null);
    });
    this.#form.addEventListener("dragover", (event) => event.preventDefault());
    this.#form.addEventListener("drop", (event) => {
      event.preventDefault();
      this.#take(event.dataTransfer?.files ?? null);
    });
  }

  focus() {
    // On a touch screen this would open the keyboard over the page.
    if (matchMedia("(hover: hover)").matches) this.#message.focus();
  }

  /**
   * @param {import('./draft.js').Draft} draft
   * @param {{ work: import('./when-busy.js').Work, problem: Error | null, canRetry: boolean }} now `canRetry`: what failed can be asked for again.
   */
  render(draft, { work, problem, canRetry }) {
    const isOther = draft !== this.#draft;
    this.#draft = draft;
    if (this.#message.value !== draft.text) this.#message.value = draft.text;
    this.#message.readOnly = draft.isOnItsWay;
    this.#attach.disabled = draft.isOnItsWay;
    this.#send.disabled = draft.isEmpty || draft.isOnItsWay;
    this.#stop.hidden = work === "nothing";
    if (work === "nothing" && !draft.isOnItsWay) draft.whenBusy = "queue";
    this.#whenBusy.render(draft.whenBusy, work, draft.isEmpty || draft.isOnItsWay);
    this.#form.setAttribute("aria-busy", String(draft.isOnItsWay));
    if (isOther || draft.pictures !== this.#shown) this.#showPictures(draft);
    this.#showNotice(draft, problem, canRetry);
    this.#fit();
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    // Enter also ends the composition of an input method (229 in browsers that forget to say so).
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229)
      return;
    event.preventDefault();
    this.#actions.send();
  }

  #onInput() {
    if (!this.#draft) return;
    this.#draft.text = this.#message.value;
    if (this.#draft.delivery.state === "refused") this.#draft.delivery = { state: "idle" };
    this.#draft.save();
    this.#actions.change();
  }

  /** @param {FileList | null} files */
  #take(files) {
    const draft = this.#draft;
    if (!draft || draft.isOnItsWay || !files || files.length === 0) return;
    const { change, fail } = this.#actions;
    draft.attach([...files]).then(change, fail);
    this.#file.value = "";
  }

  /** @param {import('./draft.js').Draft} draft */
  #showPictures(draft) {
    this.#shown = draft.pictures;
    this.#pictures.hidden = draft.pictures.length === 0;
    const nodes = draft.pictures.map((picture) => {
      const { mediaType, data, name } = picture;
      const image = element("img", { src: `data:${mediaType};base64,${data}`, alt: name });
      const remove = () => {
        draft.pictures = draft.pictures.filter((other) => other !== picture);
        this.#actions.change();
        this.#message.focus();
      };
      return element(
        "li",
        {},
        image,
        element(
          "button",
          { type: "button", "aria-label": `Remove ${name}`, onclick: remove },
          icon("remove"),
        ),
      );
    });
    this.#pictures.replaceChildren(...nodes);
  }

  /**
   * @param {import('./draft.js').Draft} draft
   * @param {Error | null} problem
   * @param {boolean} canRetry
   */
  #showNotice({ delivery }, problem, canRetry) {
    const error = "error" in delivery ? delivery.error : problem;
    this.#notice.hidden = error === null;
    const [text, button] = [byId("notice-text"), byId("notice-action")];
    const isWaiting = delivery.state === "waiting";
    setText(text, error ? `${textOf(error)}${isWaiting ? " Trying again…" : ""}` : "");
    setText(button, labelOf(delivery, canRetry));
    button.onclick = () => this.#actions.cancel();
  }

  /** As tall as its text, up to a limit. */
  #fit() {
    this.#message.style.height = "auto";
    this.#message.style.height = `${Math.min(this.#message.scrollHeight, MAX_HEIGHT)}px`;
  }
}

/**
 * @param {import('./draft.js').Delivery} delivery
 * @param {boolean} canRetry
 */
function labelOf({ state }, canRetry) {
  if (state === "waiting") return "Stop trying";
  return canRetry && state !== "refused" ? "Try again" : "Dismiss";
}
