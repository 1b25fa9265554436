import { byId } from "./dom.js";
import { FilesPanel } from "./files/panel.js";
import { MemoryPanel } from "./memory/panel.js";

/** What can be opened beside the conversation, one at a time: the files of the workspace, and what is remembered. */
export class Panels {
  #files;
  #memory;
  #sessions;

  /**
   * @param {import('./sessions.js').Sessions} sessions
   * @param {{ closeRail: () => void, refuse: (error: Error) => void }} page `refuse`: the server wants an API key.
   */
  constructor(sessions, { closeRail, refuse }) {
    this.#sessions = sessions;
    this.#files = new FilesPanel({ refuse });
    this.#memory = new MemoryPanel({
      refuse,
      openFile: (path) => void this.showFile(path),
      leave: () => this.#uncover(),
      conversations: () => this.#conversations,
    });
    for (const [name, toggle] of /** @type {const} */ ([
      ["files", () => this.#toggleFiles()],
      ["memory", () => void this.#toggleMemory()],
    ])) {
      for (const id of [`open-${name}`, `top-${name}`]) {
        byId(id).addEventListener("click", () => {
          closeRail();
          toggle();
        });
      }
    }
  }

  /** Shows a file of the workspace. @param {string} path */
  async showFile(path) {
    this.#memory.close({ isReplaced: true });
    await this.#files.show(path);
  }

  /**
   * Which conversation is on the page: its agent may change what is shown here, turn by turn.
   * @param {import('./chat.js').Chat | null} chat
   */
  follow(chat) {
    const session = chat?.id ?? null;
    const endings = chat?.endings ?? 0;
    this.#files.follow(session, endings);
    this.#memory.follow(session, endings);
  }

  /** Reads what is open anew, for instance with a new API key. */
  refresh() {
    void this.#files.refresh();
    void this.#memory.refresh();
  }

  #toggleFiles() {
    if (this.#files.isOpen) return void this.#files.close();
    this.#memory.close({ isReplaced: true });
    this.#files.open();
  }

  async #toggleMemory() {
    if (this.#memory.isOpen) return this.#memory.close();
    if (!this.#files.isOpen || (await this.#files.close({ isReplaced: true }))) this.#memory.open();
  }

  /** Where the panel covers the conversation, it makes room for it. */
  #uncover() {
    if (!byId("desk").checkVisibility({ visibilityProperty: true })) this.#memory.close();
  }

  get #conversations() {
    const list = this.#sessions.list();
    const titles = new Map(list.map(({ id, title }) => [id, title]));
    return { titles, isWhole: this.#sessions.isWhole };
  }
}
