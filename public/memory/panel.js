import { ApiError, isConflict } from "../api.js";
import { confirm } from "../ask.js";
import { byId, icon, setText } from "../dom.js";
import { PanelNotice } from "../panel-notice.js";
import { fetchMemory, postForget, postUndo } from "./api.js";
import { keepIsOpen, wasOpen } from "./kept.js";
import { MemoryOverviewView } from "./overview.js";
import { MemorySearch } from "./search.js";
import { placeShell } from "./shell.js";
import { forgottenText, shortOf, undoneText } from "./words.js";

/**
 * @typedef {import('./api.js').MemoryOverview} MemoryOverview
 * @typedef {import('./api.js').Entry} Entry
 * @typedef {import('./sources.js').Conversations} Conversations
 */

/** The panel with what the agent remembers of the person, where it knows that from, and the ways to take it back. */
export class MemoryPanel {
  #node = placeShell();
  #openers = [byId("open-memory"), byId("top-memory")];
  #notice = new PanelNotice(byId("memory-notice"));
  /** The newest that was read. @type {MemoryOverview | null} */
  #overview = null;
  /** @type {'idle' | 'reading' | 'failed'} */
  #state = "idle";
  #readings = 0;
  /** What is being undone or forgotten. @type {Set<string>} */
  #running = new Set();
  /** The conversation on the page; undefined until the page has said which. @type {string | null | undefined} */
  #session;
  #endings = 0;
  /** What was known of the conversations when it was drawn. */
  #known = "";
  #actions;
  #view;
  #search;

  /**
   * @param {import('./links.js').Ways & {
   *   conversations: () => Omit<Conversations, 'current'>, refuse: (error: Error) => void,
   * }} actions `refuse`: the server wants an API key.
   */
  constructor(actions) {
    this.#actions = actions;
    const { openFile, leave, refuse } = actions;
    const conversations = () => this.#conversations;
    this.#view = new MemoryOverviewView({
      openFile,
      leave,
      undo: (entry) => void this.#undo({ entry: entry.id }),
      forget: (entry) => void this.#forget(entry),
      undoRun: ({ run }) => void this.#undo({ run }),
    });
    const change = () => this.#render();
    this.#search = new MemorySearch({ openFile, leave, refuse, conversations, change });
    byId("top-memory").append(icon("bookmark"));
    byId("memory-refresh").append(icon("again"));
    byId("memory-close").append(icon("remove"));
    byId("memory-refresh").addEventListener("click", () => void this.refresh());
    byId("memory-close").addEventListener("click", () => this.close());
  }

  get isOpen() {
    return !this.#node.hidden;
  }

  open() {
    this.#show();
    byId("memory-title").focus();
  }

  /** @param {{ isReplaced?: boolean }} [how] `isReplaced`: something else takes the focus. */
  close({ isReplaced = false } = {}) {
    if (!this.isOpen) return;
    this.#node.hidden = true;
    this.#notice.clear();
    keepIsOpen(false);
    this.#render();
    if (!isReplaced) this.#openers.find((opener) => opener.checkVisibility())?.focus();
  }

  /**
   * Which conversation is on the page, and how many turns of it have ended: in each something may have been saved.
   * @param {string | null} session
   * @param {number} endings
   */
  follow(session, endings) {
    const hasEnded = endings > (session === this.#session ? this.#endings : 0);
    const isFirst = this.#session === undefined;
    this.#endings = endings;
    this.#session = session;
    if (isFirst && wasOpen()) this.#show();
    else if (!this.isOpen) return;
    else if (hasEnded) void this.#read();
    else if (this.#known !== knownOf(this.#conversations)) this.#render();
  }

  /** Reads all anew, for instance with a new API key. */
  async refresh() {
    if (!this.isOpen) return;
    this.#notice.clear();
    await Promise.all([this.#read(), this.#search.refresh()]);
  }

  /** @returns {Conversations} */
  get #conversations() {
    return { ...this.#actions.conversations(), current: this.#session ?? null };
  }

  #show() {
    this.#node.hidden = false;
    keepIsOpen(true);
    void this.refresh();
  }

  async #read() {
    const reading = ++this.#readings;
    this.#state = "reading";
    this.#render();
    try {
      const overview = await fetchMemory();
      if (reading !== this.#readings) return;
      this.#overview = overview;
      this.#state = "idle";
    } catch (error) {
      if (reading !== this.#readings) return;
      this.#state = "failed";
      this.#fail(error, () => void this.refresh());
    }
    this.#render();
  }

  /** @param {{ run: string } | { entry: string }} what */
  async #undo(what) {
    const before = this.#overview?.entries ?? [];
    const key = crypto.randomUUID();
    await this.#act(JSON.stringify(what), async () => {
      const undone = await postUndo(what, key);
      const text = undoneText(undone, before);
      if (undone.restored === 0) this.#notice.warn(text);
      else this.#notice.say(text);
    });
  }

  /** @param {Entry} entry */
  async #forget({ id, text }) {
    const isMeant = await confirm(
      `Forget “${shortOf(text)}”?`,
      "It goes from memory, from the notes that it was made of, and from search, and cannot be brought back. What was said in your conversations stays there.",
      "Forget",
    );
    if (!isMeant) return;
    const key = crypto.randomUUID();
    await this.#act(id, async () => this.#notice.say(forgottenText(await postForget([id], key))));
  }

  /**
   * Does something to the memory, once however often it is clicked meanwhile, and shows what became of it.
   * @param {string} what
   * @param {() => Promise<void>} action Safe to call again.
   */
  async #act(what, action) {
    if (this.#running.has(what)) return;
    this.#running.add(what);
    try {
      await action();
    } catch (error) {
      const canRepeat = error instanceof ApiError && error.isTransient;
      this.#fail(error, canRepeat ? () => void this.#act(what, action) : undefined);
      if (!isConflict(error)) return;
    } finally {
      this.#running.delete(what);
    }
    await Promise.all([this.#read(), this.#search.refresh()]);
  }

  /** @param {unknown} error @param {() => void} [again] */
  #fail(error, again) {
    this.#notice.fail(error, again ? [{ label: "Try again", run: again }] : []);
    if (error instanceof ApiError && error.status === 401) this.#actions.refuse(error);
  }

  #render() {
    for (const opener of this.#openers) opener.setAttribute("aria-expanded", String(this.isOpen));
    if (!this.isOpen) return;
    byId("memory-overview").hidden = this.#search.isActive;
    const isWaiting = this.#overview === null && this.#state === "reading";
    setText(byId("memory-wait"), isWaiting ? "Reading the memory…" : "");
    const conversations = this.#conversations;
    this.#known = knownOf(conversations);
    if (this.#overview) this.#view.render(this.#overview, conversations);
  }
}

/** @param {Conversations} conversations */
const knownOf = ({ current, titles, isWhole }) => JSON.stringify([current, isWhole, ...titles]);
