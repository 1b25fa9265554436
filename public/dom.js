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
