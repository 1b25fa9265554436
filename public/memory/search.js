import { ApiError, textOf } from "../api.js";
import { timeNode } from "../dates.js";
import { byId, element, setText } from "../dom.js";
import { fetchSearch } from "./api.js";
import { fileLink } from "../file-link.js";
import { conversationLink } from "./links.js";
import { addressOf, conversationOf, kindOf } from "./sources.js";
import { foundText } from "./words.js";

/** @typedef {import('./api.js').SearchAnswer} SearchAnswer */

/** How long the person has to pause, in milliseconds, and how much is shown. */
const [PAUSE, LIMIT] = [250, 20];

/** A search over all that is remembered, noted, known and was said. While it looks, it stands in the place of the rest. */
export class MemorySearch {
  #box = /** @type {HTMLInputElement} */ (byId("memory-search"));
  #results = byId("memory-results");
  #status = byId("memory-found");
  #list = byId("memory-hits");
  #again = byId("memory-search-again");
  #actions;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #abort = new AbortController();
  /** What is looked for. */
  #query = "";

  /**
   * @param {import('./links.js').Ways & {
   *   conversations: () => import('./sources.js').Conversations, change: () => void, refuse: (error: Error) => void,
   * }} actions `change`: whether something is looked for.
   */
  constructor(actions) {
    this.#actions = actions;
    this.#box.addEventListener("input", () => this.#type());
    this.#box.addEventListener("keydown", (event) => {
      if (event.key === "Enter") void this.refresh();
    });
    this.#again.addEventListener("click", () => {
      this.#box.focus();
      void this.refresh();
    });
  }

  get isActive() {
    return this.#box.value.trim() !== "";
  }

  /** Looks again for what is looked for, at once. */
  async refresh() {
    clearTimeout(this.#timer);
    this.#abort.abort();
    const query = this.#box.value.trim();
    if (query === "") return;
    const abort = new AbortController();
    this.#abort = abort;
    const { signal } = abort;
    try {
      const answer = await fetchSearch(query, { limit: LIMIT, signal });
      if (!signal.aborted) this.#show(answer, query);
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  #type() {
    clearTimeout(this.#timer);
    this.#abort.abort();
    this.#results.hidden = !this.isActive;
    if (this.isActive) {
      if (this.#query === "") setText(this.#status, "Searching…");
      this.#timer = setTimeout(() => void this.refresh(), PAUSE);
    } else {
      this.#query = "";
      this.#list.replaceChildren();
      setText(this.#status, "");
      this.#again.hidden = true;
    }
    this.#actions.change();
  }

  /** @param {SearchAnswer} answer @param {string} query */
  #show(answer, query) {
    this.#query = query;
    const now = Date.now();
    this.#again.hidden = answer.isComplete;
    setText(this.#status, foundText(answer, query));
    this.#list.replaceChildren(...answer.hits.map((hit) => this.#hitNode(hit, now)));
  }

  /** @param {unknown} error */
  #fail(error) {
    setText(this.#status, textOf(error));
    this.#again.hidden = false;
    if (error instanceof ApiError && error.status === 401) this.#actions.refuse(error);
  }

  /** @param {SearchAnswer['hits'][number]} hit @param {number} now */
  #hitNode(hit, now) {
    const time = hit.at === null ? [] : [", ", timeNode(hit.at, now)];
    return element(
      "li",
      { class: "remembered" },
      element("p", { class: "snippet", dir: "auto" }, hit.snippet),
      element("p", { class: "origin" }, ...this.#placeNodes(hit), ...time),
    );
  }

  /** @param {SearchAnswer['hits'][number]} hit @returns {(Node | string)[]} */
  #placeNodes({ path, line, source, said }) {
    if (said) {
      const who = said.role === "user" ? "You said in " : "Your agent said in ";
      const address = addressOf({ path, said });
      const conversation = conversationOf(address, this.#actions.conversations());
      if (conversation.session !== null)
        return [who, conversationLink(conversation, this.#actions)];
    }
    const kind = kindOf(source);
    return [fileLink(path, kind ?? path, this.#actions), ...(kind ? [] : [`, line ${line}`])];
  }
}
