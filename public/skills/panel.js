import { ApiError, isConflict, isMissing } from "../api.js";
import { confirm } from "../ask.js";
import { byId, icon, setText } from "../dom.js";
import { redraw } from "../redraw.js";
import { PanelNotice } from "../panel-notice.js";
import {
  fetchCandidate,
  fetchSkills,
  postArchive,
  postDecision,
  postMove,
  postRestore,
} from "./api.js";
import { keepIsOpen, wasOpen } from "./kept.js";
import { listNodes } from "./list.js";
import { reviewNodes } from "./review.js";
import { placeShell } from "./shell.js";
import { decidedText, movedText } from "./words.js";

/**
 * @typedef {import('./api.js').Everything} Everything
 * @typedef {import('./api.js').Candidate} Candidate
 */

/** The panel with what the agent can do, what waits for the person's word, and what was put away. */
export class SkillsPanel {
  #node = placeShell();
  #openers = [byId("open-skills"), byId("top-skills")];
  #notice = new PanelNotice(byId("skills-notice"));
  /** The newest that was read. @type {Everything | null} */
  #everything = null;
  /** The draft that is looked at. @type {Candidate | null} */
  #candidate = null;
  /** The draft as it was drawn: what is typed and unfolded stays while it is the same. */
  #drawn = "";
  #isReading = false;
  #readings = 0;
  /** What is being done. @type {Set<string>} */
  #running = new Set();
  /** The conversation on the page; undefined until the page has said which. @type {string | null | undefined} */
  #session;
  #endings = 0;
  #actions;

  /** @param {{ openFile: (path: string) => void, refuse: (error: Error) => void }} actions `refuse`: the server wants an API key. */
  constructor(actions) {
    this.#actions = actions;
    byId("top-skills").append(icon("skill"));
    byId("skills-add").append(icon("plus"));
    byId("skills-refresh").append(icon("again"));
    byId("skills-close").append(icon("remove"));
    byId("skills-refresh").addEventListener("click", () => void this.refresh());
    byId("skills-close").addEventListener("click", () => this.close());
    const file = /** @type {HTMLInputElement} */ (byId("skills-file"));
    byId("skills-add").addEventListener("click", () => file.click());
    file.addEventListener("change", () => {
      const [archive] = file.files ?? [];
      if (archive) void this.#add(archive);
      file.value = "";
    });
  }

  get isOpen() {
    return !this.#node.hidden;
  }

  open() {
    this.#show();
    byId("skills-title").focus();
  }

  /** Opens a draft, as a link to it asks. @param {string} name */
  async openReview(name) {
    this.#show();
    await this.#review(name);
  }

  /** @param {{ isReplaced?: boolean }} [how] `isReplaced`: something else takes the focus. */
  close({ isReplaced = false } = {}) {
    if (!this.isOpen) return;
    this.#node.hidden = true;
    this.#candidate = null;
    this.#notice.clear();
    keepIsOpen(false);
    this.#render();
    if (!isReplaced) this.#openers.find((opener) => opener.checkVisibility())?.focus();
  }

  /**
   * Which conversation is on the page, and how many turns of it have ended: in each something may have been drafted.
   * @param {string | null} session
   * @param {number} endings
   */
  follow(session, endings) {
    const hasEnded = endings > (session === this.#session ? this.#endings : 0);
    const isFirst = this.#session === undefined;
    this.#endings = endings;
    this.#session = session;
    if (isFirst && wasOpen()) this.#show();
    else if (this.isOpen && hasEnded) void this.#read();
  }

  /** Reads all anew, for instance with a new API key. */
  async refresh() {
    if (!this.isOpen) return;
    this.#notice.clear();
    await this.#read();
    if (this.#candidate) await this.#review(this.#candidate.draft.name);
  }

  #show() {
    this.#node.hidden = false;
    keepIsOpen(true);
    void this.refresh();
  }

  async #read() {
    const reading = ++this.#readings;
    this.#isReading = true;
    this.#render();
    try {
      const everything = await fetchSkills();
      if (reading !== this.#readings) return;
      this.#everything = everything;
      const { problems } = everything.overview;
      if (problems.length > 0) this.#notice.warn(problems.join(" "));
    } catch (error) {
      if (reading !== this.#readings) return;
      this.#fail(error, () => void this.refresh());
    }
    this.#isReading = false;
    this.#render();
  }

  /** Opens a draft as it is now. @param {string} name */
  async #review(name) {
    await this.#act(`review ${name}`, async () => {
      try {
        this.#candidate = await fetchCandidate(name);
      } catch (error) {
        if (!isMissing(error)) throw error;
        this.#candidate = null;
        this.#notice.warn(`“${name}” does not wait any more.`);
      }
      this.#render();
    });
  }

  /** @param {Candidate} candidate @param {import('./api.js').Decision} decision */
  async #decide({ draft: { name, hash } }, decision) {
    const key = crypto.randomUUID();
    await this.#act(`decide ${name}`, async () => {
      const decided = await postDecision(name, hash, decision, key);
      this.#candidate = null;
      this.#notice.say(decidedText(decided));
      await this.#read();
      byId("skills-title").focus();
    });
  }

  /** @param {string} name @param {'pin' | 'unpin' | 'archive'} kind */
  async #move(name, kind) {
    if (kind === "archive") {
      const text =
        "Your agent does not know it any more. All its files are kept, and it can be brought back.";
      if (!(await confirm(`Put “${name}” away?`, text, "Put away"))) return;
    }
    const key = crypto.randomUUID();
    await this.#act(`move ${name}`, async () => {
      await postMove(name, kind, key);
      this.#notice.say(movedText(kind, name));
      await this.#read();
    });
  }

  /** @param {import('./api.js').Archived} skill */
  async #restore(skill) {
    const key = crypto.randomUUID();
    await this.#act(`restore ${skill.directory}`, async () => {
      await postRestore(skill, key);
      this.#notice.say(`“${skill.name}” is back in use.`);
      await this.#read();
    });
  }

  /** @param {File} archive */
  async #add(archive) {
    const key = crypto.randomUUID();
    await this.#act("add", async () => {
      const { draft, gate } = await postArchive(archive, key);
      this.#notice.say(gate ?? `“${draft?.name ?? archive.name}” waits for your review.`);
      await this.#read();
    });
  }

  /**
   * Does something once, however often it is clicked meanwhile. Where somebody came first, all is read anew.
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
      if (isConflict(error)) await this.#readAgain();
    } finally {
      this.#running.delete(what);
    }
  }

  /** What is looked at, as it has become; what went wrong still shows. */
  async #readAgain() {
    const name = this.#candidate?.draft.name;
    const candidate = name === undefined ? null : await fetchCandidate(name).catch(() => null);
    this.#candidate = candidate;
    await this.#read();
  }

  /** @param {unknown} error @param {() => void} [again] */
  #fail(error, again) {
    this.#notice.fail(error, again ? [{ label: "Try again", run: again }] : []);
    if (error instanceof ApiError && error.status === 401) this.#actions.refuse(error);
  }

  #render() {
    for (const opener of this.#openers) opener.setAttribute("aria-expanded", String(this.isOpen));
    const candidate = this.#candidate;
    byId("skills-list").hidden = candidate !== null;
    byId("skills-review").hidden = candidate === null;
    if (!this.isOpen) return;
    const isWaiting = this.#everything === null && this.#isReading;
    setText(byId("skills-wait"), isWaiting ? "Reading the skills…" : "");
    if (candidate) this.#drawReview(candidate);
    else if (this.#everything) this.#drawList(this.#everything);
  }

  /** @param {Everything} everything */
  #drawList(everything) {
    const list = byId("skills-list");
    const { openFile } = this.#actions;
    const actions = {
      openFile,
      review: (/** @type {string} */ name) => void this.#review(name),
      move: (/** @type {string} */ name, /** @type {'pin' | 'unpin' | 'archive'} */ kind) =>
        void this.#move(name, kind),
      restore: (/** @type {import('./api.js').Archived} */ skill) => void this.#restore(skill),
    };
    const draw = () => list.replaceChildren(...listNodes(everything, Date.now(), actions));
    redraw(list, draw, () => byId("skills-title").focus());
  }

  /** @param {Candidate} candidate */
  #drawReview(candidate) {
    const review = byId("skills-review");
    const seen = JSON.stringify(candidate);
    const isNew = this.#drawn !== seen || review.childElementCount === 0;
    this.#drawn = seen;
    const back = () => {
      this.#candidate = null;
      this.#render();
      byId("skills-title").focus();
    };
    const decide = (/** @type {import('./api.js').Decision} */ decision) =>
      void this.#decide(candidate, decision);
    if (isNew) {
      review.replaceChildren(...reviewNodes(candidate, Date.now(), { back, decide }));
      byId("review-title").focus();
      byId("skills-body").scrollTop = 0;
    }
  }
}
