import { byId, setText } from "./dom.js";
import { keepKey, storedKey } from "./key.js";

/** Asks for an API key when the server wants one. `onKey` is called when there is a new one. */
export class SignIn {
  #dialog = /** @type {HTMLDialogElement} */ (byId("sign-in"));
  #key = /** @type {HTMLInputElement} */ (byId("key"));
  #out = byId("sign-out");
  /** Asked once for each; who closes the dialog is left alone. @type {Error | null} */
  #refusal = null;

  /** @param {() => void} onKey */
  constructor(onKey) {
    byId("sign-in-form").addEventListener("submit", (event) => {
      event.preventDefault();
      keepKey(this.#key.value.trim());
      this.#key.value = "";
      this.#dialog.close();
      onKey();
    });
    this.#out.addEventListener("click", () => {
      keepKey("");
      location.reload();
    });
  }

  /** @param {Error} refusal What the server said. */
  ask(refusal) {
    if (refusal === this.#refusal) return;
    this.#refusal = refusal;
    setText(byId("sign-in-why"), refusal.message);
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  render() {
    this.#out.hidden = storedKey() === "";
  }
}
