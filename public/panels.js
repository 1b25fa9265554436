import { takeSkill } from "./address.js";
import { byId } from "./dom.js";
import { FilesPanel } from "./files/panel.js";
import { keepIsOpen as keepMemory } from "./memory/kept.js";
import { MemoryPanel } from "./memory/panel.js";
import { SkillsPanel } from "./skills/panel.js";

/**
 * What can be opened beside the conversation, one at a time: the files of the workspace, what is remembered, and what the
 * agent can do.
 */
export class Panels {
  #files;
  #memory;
  #skills;
  #sessions;

  /**
   * @param {import('./sessions.js').Sessions} sessions
   * @param {{ closeRail: () => void, refuse: (error: Error) => void }} page `refuse`: the server wants an API key.
   */
  constructor(sessions, { closeRail, refuse }) {
    this.#sessions = sessions;
    const openFile = (/** @type {string} */ path) => void this.showFile(path);
    this.#files = new FilesPanel({ refuse });
    this.#memory = new MemoryPanel({
      refuse,
      openFile,
      leave: () => this.#uncover(),
      conversations: () => this.#conversations,
    });
    this.#skills = new SkillsPanel({ refuse, openFile });
    for (const [name, toggle] of /** @type {const} */ ([
      ["files", () => this.#toggleFiles()],
      ["memory", () => void this.#toggle(this.#memory)],
      ["skills", () => void this.#toggle(this.#skills)],
    ])) {
      for (const id of [`open-${name}`, `top-${name}`]) {
        byId(id).addEventListener("click", () => {
          closeRail();
          toggle();
        });
      }
    }
    const skill = takeSkill();
    if (skill === null) return;
    keepMemory(false);
    void this.#skills.openReview(skill);
  }

  /** Shows a file of the workspace. @param {string} path */
  async showFile(path) {
    this.#replaceAllBut(null);
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
    this.#skills.follow(session, endings);
  }

  /** Reads what is open anew, for instance with a new API key. */
  refresh() {
    void this.#files.refresh();
    void this.#memory.refresh();
    void this.#skills.refresh();
  }

  #toggleFiles() {
    if (this.#files.isOpen) return void this.#files.close();
    this.#replaceAllBut(null);
    this.#files.open();
  }

  /** @param {MemoryPanel | SkillsPanel} panel */
  async #toggle(panel) {
    if (panel.isOpen) return panel.close();
    if (this.#files.isOpen && !(await this.#files.close({ isReplaced: true }))) return;
    this.#replaceAllBut(panel);
    panel.open();
  }

  /** Closes what makes room for another panel. @param {MemoryPanel | SkillsPanel | null} panel */
  #replaceAllBut(panel) {
    for (const other of [this.#memory, this.#skills])
      if (other !== panel) other.close({ isReplaced: true });
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
