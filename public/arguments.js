import { element, setText } from "./dom.js";

/** More than this is folded: in characters and in lines. */
const [MAX_SHOWN, MAX_LINES] = [1_500, 14];

/** Characters that show nothing, or that make what follows look like something else. */
const UNSEEN =
  /[\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u007f-\u009f\u2800]/gu;

/**
 * A text whose every character is seen: those that hide, or turn the order of others round, are written `\u202e`.
 * @param {string} text
 */
export const visible = (text) =>
  text.replaceAll(UNSEEN, (char) =>
    char
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );

/**
 * Arguments as a person reads them, on one line if that is short; as they are while they are no whole JSON.
 * @param {string} json
 */
export function pretty(json) {
  try {
    const lines = JSON.stringify(JSON.parse(json), null, 2);
    const line = lines.replaceAll(/\n */g, " ");
    return visible(line.length <= 64 ? line : lines);
  } catch {
    return visible(json);
  }
}

/** The arguments of a call: long ones are folded until the person wants to see all. */
export class ArgumentsView {
  #text = element("pre", { class: "input", tabindex: 0, "aria-label": "Arguments" });
  #all = element("button", { type: "button", class: "quiet", onclick: () => this.#toggle() });
  node = element("div", { class: "arguments", hidden: true }, this.#text, this.#all);
  #json = "";
  #isWhole = false;

  /** @param {string} json */
  update(json) {
    if (json === this.#json) return;
    this.#json = json;
    this.#draw();
  }

  #toggle() {
    this.#isWhole = !this.#isWhole;
    this.#draw();
  }

  #draw() {
    const json = this.#json.trim();
    this.node.hidden = json === "" || json === "{}";
    const text = pretty(this.#json);
    const begin = beginOf(text);
    const isLong = begin.length < text.length;
    setText(this.#text, isLong && !this.#isWhole ? `${begin}…` : text);
    this.#text.classList.toggle("whole", this.#isWhole);
    this.#all.hidden = !isLong;
    const size = `${text.length.toLocaleString("en")} characters`;
    setText(this.#all, this.#isWhole ? "Show less" : `Show all ${size}`);
    this.#all.setAttribute("aria-expanded", String(this.#isWhole));
  }
}

/** @param {string} text */
function beginOf(text) {
  const lines = text.slice(0, MAX_SHOWN).split("\n");
  return lines.slice(0, MAX_LINES).join("\n");
}
