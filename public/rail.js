import { byId, element, icon } from "./dom.js";

/** The list of conversations. On a narrow screen it is a drawer. */
export class Rail {
  #rail = byId("rail");
  #list = byId("sessions");
  #menu = byId("menu");
  #veil = byId("veil");
  #sessions;
  #onRemove;
  #shown = "";

  /**
   * @param {import('./sessions.js').Sessions} sessions
   * @param {(id: string) => void} onRemove
   */
  constructor(sessions, onRemove) {
    this.#sessions = sessions;
    this.#onRemove = onRemove;
    this.#menu.append(icon("menu"));
    byId("new").prepend(icon("plus"));
    byId("open-files").prepend(icon("folder"));
    this.#menu.addEventListener("click", () => this.#open(true));
    this.#veil.addEventListener("click", () => this.close());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#rail.classList.contains("open")) this.close();
    });
  }

  close() {
    if (!this.#rail.classList.contains("open")) return;
    this.#open(false);
    this.#menu.focus();
  }

  /** @param {string | null} current */
  render(current) {
    const sessions = this.#sessions.list();
    const shown = JSON.stringify([current, sessions.map(({ id, title }) => [id, title])]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#list.replaceChildren(
      ...sessions.map((session) => this.#item(session, session.id === current)),
    );
  }

  /**
   * @param {import('./sessions.js').Session} session
   * @param {boolean} isCurrent
   */
  #item({ id, title }, isCurrent) {
    const name = title || "Untitled";
    const link = element(
      "a",
      { href: `#/${id}`, title: name, "aria-current": isCurrent ? "page" : null },
      name,
    );
    link.addEventListener("click", () => this.close());
    const label = `Take “${name}” off the list`;
    const remove = element(
      "button",
      {
        type: "button",
        class: "bare",
        "aria-label": label,
        title: "Take off the list (the conversation is kept)",
      },
      icon("remove"),
    );
    remove.addEventListener("click", () => this.#onRemove(id));
    return element("li", {}, link, remove);
  }

  /** @param {boolean} isOpen */
  #open(isOpen) {
    this.#rail.classList.toggle("open", isOpen);
    this.#veil.hidden = !isOpen;
    this.#menu.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) byId("new").focus();
  }
}
