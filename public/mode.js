import { confirm } from "./ask.js";
import { byId, element, setState, setText } from "./dom.js";

/**
 * @typedef {import('../src/shared/permissions.ts').PermissionMode} PermissionMode
 *
 * `modes`: those that may be chosen, `null` until that is known; `waiting`: how many calls wait for the person.
 * @typedef {{ mode: PermissionMode | null, modes: readonly PermissionMode[] | null, waiting: number }} Now
 */

/** @type {readonly { mode: PermissionMode, name: string, what: string }[]} */
const MODES = [
  { mode: "DEFAULT", name: "Default", what: "asks before anything outside the workspace" },
  { mode: "ACCEPT_EDITS", name: "Accept edits", what: "changes of files run without asking" },
  { mode: "EXPLORE", name: "Explore (read only)", what: "only what reads runs" },
  { mode: "BYPASS", name: "Bypass", what: "asks only before what is dangerous" },
  { mode: "DONT_ASK", name: "Never ask", what: "denies whatever it would ask" },
];

/** How a mode is called. @param {PermissionMode | null} mode */
export const modeName = (mode) => MODES.find((known) => known.mode === mode)?.name ?? "Permissions";

/** Where a person says how much the agent may do. What is chosen holds once the server says so. */
export class ModeControl {
  #select = /** @type {HTMLSelectElement} */ (byId("mode"));
  #name = byId("mode-name");
  /** @type {Now} */
  #now = { mode: null, modes: null, waiting: 0 };
  /** @type {PermissionMode | null} */
  #wanted = null;
  #choose;

  /** @param {{ choose: (mode: PermissionMode) => Promise<void>, look: () => void }} actions `look`: the person looks at the modes. */
  constructor({ choose, look }) {
    this.#choose = choose;
    this.#select.append(
      element("option", { value: "", hidden: true, disabled: true }, "Permissions"),
      ...MODES.map(({ mode, name, what }) =>
        element("option", { value: mode, title: what }, `${name}: ${what}`),
      ),
    );
    this.#select.addEventListener("focus", look);
    this.#select.addEventListener("change", () => void this.#onChange());
  }

  /** @param {Now} now */
  render(now) {
    this.#now = now;
    const shown = this.#wanted ?? now.mode;
    if (this.#select.value !== (shown ?? "")) this.#select.value = shown ?? "";
    const chosen = MODES.find(({ mode }) => mode === shown);
    setText(this.#name, chosen?.name ?? "Permissions");
    setState(byId("mode-label"), shown ?? "none");
    const title = chosen ? `${chosen.name}: ${chosen.what}` : "How much the agent may do";
    if (this.#select.title !== title) this.#select.title = title;
    this.#select.setAttribute("aria-busy", String(this.#wanted !== null));
    for (const option of this.#select.options) {
      const mode = /** @type {PermissionMode} */ (option.value);
      option.disabled = option.value === "" || (now.modes !== null && !now.modes.includes(mode));
    }
  }

  async #onChange() {
    const mode = /** @type {PermissionMode} */ (this.#select.value);
    if (this.#wanted !== null) return this.render(this.#now);
    this.#wanted = mode;
    this.render(this.#now);
    if (await this.#isMeant(mode)) await this.#choose(mode);
    this.#wanted = null;
    this.render(this.#now);
  }

  /** Arrow keys choose at once, so that what lets calls run is asked about. @param {PermissionMode} mode */
  async #isMeant(mode) {
    const { waiting } = this.#now;
    if (mode !== "BYPASS" && waiting === 0) return true;
    const calls = waiting === 1 ? "The call that waits" : `The ${waiting} calls that wait`;
    const texts = [
      mode === "BYPASS" ? "Your agent then acts outside the workspace without asking you." : "",
      waiting > 0 ? `${calls} for you will be decided by the new mode at once.` : "",
    ];
    const isMeant = await confirm(
      `Change to “${modeName(mode)}”?`,
      texts.filter((text) => text !== "").join(" "),
      "Change",
    );
    this.#select.focus();
    return isMeant;
  }
}
