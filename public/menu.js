import { element } from "./dom.js";

/**
 * @typedef {{ label: string, run: () => void, isRisky?: boolean, why?: string }} Item `why`: it cannot be done now, and this is the reason.
 */

/**
 * Opens a menu at the button that asked for it. Arrows move, Escape and a click elsewhere close; the focus goes back
 * to the button unless an item takes it.
 * @param {HTMLElement} opener
 * @param {string} name
 * @param {readonly Item[]} items
 */
export function openMenu(opener, name, items) {
  const buttons = items.map(({ label, run, isRisky = false, why }) =>
    element(
      "button",
      {
        type: "button",
        role: "menuitem",
        tabindex: -1,
        class: isRisky ? "risky" : null,
        "aria-disabled": why === undefined ? null : "true",
        onclick: () => {
          if (why !== undefined) return;
          close();
          run();
        },
      },
      element("span", {}, label),
      why === undefined ? null : element("span", { class: "menu-why" }, why),
    ),
  );
  const menu = element("div", { class: "menu", role: "menu", "aria-label": name }, ...buttons);
  const listening = new AbortController();

  function close() {
    if (!menu.isConnected) return;
    listening.abort();
    menu.remove();
    opener.setAttribute("aria-expanded", "false");
    opener.focus();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const index = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const last = buttons.length - 1;
    const places = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: last };
    if (event.key === "Escape" || event.key === "Tab") close();
    else if (event.key in places) {
      const place = places[/** @type {keyof typeof places} */ (event.key)];
      buttons.at(place > last ? 0 : place)?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  const { signal } = listening;
  menu.addEventListener("keydown", onKey);
  addEventListener("resize", close, { signal });
  document.addEventListener(
    "pointerdown",
    (event) => {
      if (!menu.contains(/** @type {Node} */ (event.target))) close();
    },
    { signal, capture: true },
  );
  document.body.append(menu);
  place(menu, opener);
  opener.setAttribute("aria-expanded", "true");
  buttons[0]?.focus();
}

/** Below the button where there is room, else above it; never beside the page. @param {HTMLElement} menu @param {HTMLElement} opener */
function place(menu, opener) {
  const { left, top, bottom } = opener.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const isBelow = bottom + height + 4 <= innerHeight;
  menu.style.top = `${Math.max(4, isBelow ? bottom + 4 : top - height - 4)}px`;
  menu.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
}
