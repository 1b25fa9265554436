/**
 * An element with attributes, listeners (`on…` functions) and children. `false`, `null` and `undefined`
 * attributes are left out, `true` ones are empty.
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null | undefined | (() => void)>} [attributes]
 * @param {...(Node | string | null)} children
 */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined)
      node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** The element of the page with this id. @param {string} id */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`The page has no element "${id}".`);
  return node;
}

/**
 * Replaces a class of states by one: `setState(node, 'open')` sets `data-state`.
 * @param {HTMLElement} node
 * @param {string} state
 */
export function setState(node, state) {
  if (node.dataset.state !== state) node.dataset.state = state;
}

/** Sets the text only when it changes, so that a screen reader does not hear it again. @param {HTMLElement} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Drawn in 24 units, stroked with the text's colour. */
const ICONS = {
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M8 8h8v8H8z",
  attach: "M4 6h16v12H4zM4 16l5-5 4 4 3-3 4 4M15 9.5h.01",
  copy: "M9 9h10v11H9zM15 9V4H5v11h4",
  done: "M5 12.5l4.5 4.5L19 7.5",
  again:
    "M4.5 12a7.5 7.5 0 0 1 13-5.1L20 9.5M20 4v5.5h-5.5M19.5 12a7.5 7.5 0 0 1-13 5.1L4 14.5M4 20v-5.5h5.5",
  menu: "M4 7h16M4 12h16M4 17h16",
  plus: "M12 5v14M5 12h14",
  remove: "M6 6l12 12M18 6L6 18",
  down: "M12 5v14M6 13l6 6 6-6",
  back: "M19 12H5M11 6l-6 6 6 6",
  folder: "M3.5 6.5h6l2 2.5h9v9.5h-17z",
  bookmark: "M7 4h10v16l-5-4-5 4z",
  skill: "M12 3.5l2.2 5.8 5.8 2.2-5.8 2.2L12 19.5l-2.2-5.8L4 11.5l5.8-2.2z",
  fold: "M9 6l6 6-6 6",
  page: "M6.5 3.5h7.5l3.5 3.5v13.5h-11zM14 3.5v3.5h3.5",
  upload: "M12 16V5M7 9.5L12 4.5l5 5M5 19.5h14",
  download: "M12 4.5V16M7 11.5l5 5 5-5M5 19.5h14",
  preview:
    "M2.5 12s3.5-6 9.5-6 9.5 6 9.5 6-3.5 6-9.5 6-9.5-6-9.5-6zM12 9.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5",
  history: "M12 4.5a7.5 7.5 0 1 1-7 4.8M4.5 4.5v5h5M12 8v4.5l3 2",
  reset: "M9 5.5L4.5 10 9 14.5M4.5 10H14a5 5 0 0 1 0 10h-3",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  bin: "M5 7h14M10 7V4.5h4V7M7 7l1 12.5h8L17 7",
};

/** @param {keyof typeof ICONS} name */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/**
 * A button that copies what `text` gives and says so for two seconds.
 * @param {string} label
 * @param {() => string} text
 */
export function copyButton(label, text) {
  const name = element("span", {}, label);
  const button = element(
    "button",
    { type: "button", class: "quiet", onclick: () => void copy() },
    icon("copy"),
    name,
  );
  async function copy() {
    const wasCopied = await navigator.clipboard.writeText(text()).then(
      () => true,
      () => false,
    );
    name.textContent = wasCopied ? "Copied" : "Could not copy";
    button.firstElementChild?.replaceWith(icon(wasCopied ? "done" : "copy"));
    setTimeout(() => {
      name.textContent = label;
      button.firstElementChild?.replaceWith(icon("copy"));
    }, 2_000);
  }
  return button;
}
