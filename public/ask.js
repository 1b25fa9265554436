import { element } from "./dom.js";

/**
 * Asks the person to choose; Escape chooses nothing. The focus goes back to where it was.
 * @template {string} Choice
 * @param {{ title: string, text: string, choices: { name: Choice, label: string, isRisky?: boolean }[] }} question The last choice is the one to make without thinking.
 * @returns {Promise<Choice | null>}
 */
export function ask({ title, text, choices }) {
  return new Promise((resolve) => {
    /** @type {Choice | null} */
    let chosen = null;
    const buttons = choices.map(({ name, label, isRisky }, index) => {
      const isLast = index === choices.length - 1;
      const choose = () => {
        chosen = name;
        dialog.close();
      };
      return element(
        "button",
        {
          type: "button",
          class: isRisky ? "plain risky" : isLast ? "solid" : "plain",
          autofocus: isLast,
          onclick: choose,
        },
        label,
      );
    });
    const dialog = /** @type {HTMLDialogElement} */ (
      element(
        "dialog",
        { class: "sign-in question", "aria-labelledby": "question" },
        element("h2", { id: "question" }, title),
        element("p", { dir: "auto" }, text),
        element("div", { class: "choices" }, ...buttons),
      )
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(chosen);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * Asks before something that cannot be taken back. Escape and the first thought are "Cancel".
 * @param {string} title
 * @param {string} text
 * @param {string} label What is done.
 */
export async function confirm(title, text, label) {
  const choice = await ask({
    title,
    text,
    choices: [
      { name: "do", label, isRisky: true },
      { name: "cancel", label: "Cancel" },
    ],
  });
  return choice === "do";
}
