import { ask, confirm } from "../ask.js";
import { LAYERS } from "./format.js";
import { nameOf, skillOf } from "./path.js";

/** @typedef {import('./open.js').OpenFile} OpenFile */

/**
 * Asks whether to give up what was typed into a file. `null`: neither, the person stays.
 * @param {OpenFile} file
 */
export const askLeave = (file) =>
  ask({
    title: "Changes that are not saved",
    text: `“${file.path}” was changed here and not saved.`,
    choices: [
      { name: "discard", label: "Discard", isRisky: true },
      { name: "stay", label: "Keep editing" },
      { name: "save", label: "Save" },
    ],
  });

/**
 * @param {OpenFile} open
 * @param {'shared' | 'template' | null} lower The layer with a file under it.
 * @returns {Promise<boolean>}
 */
export async function askRemove({ file, path, isDirty }, lower) {
  const unsaved = isDirty ? " What is not saved goes with it." : "";
  const text =
    file.layer !== "own"
      ? `It comes from the ${layerName(file.layer)}. Deleting hides it from you and your agent; it can be brought back.`
      : lower === null
        ? "Right afterwards it can still be undone."
        : `The file of the ${layerName(lower)} under it will be hidden as well. Right afterwards it can still be undone.`;
  return confirm(`Delete “${nameOf(path)}”?`, text + unsaved, "Delete");
}

/**
 * @param {OpenFile} open
 * @param {'shared' | 'template'} lower
 * @returns {Promise<boolean>}
 */
export async function askReset({ path, isDirty }, lower) {
  const unsaved = isDirty ? " What is not saved goes with it." : "";
  const what =
    skillOf(path) === null
      ? "your version. Right afterwards it can still be undone."
      : "your version of the whole skill, which stays in the history.";
  const text = `The file of the ${layerName(lower)} shows again in place of ${what}`;
  return confirm(`Reset “${nameOf(path)}”?`, text + unsaved, "Reset");
}

/** @param {keyof typeof LAYERS} layer */
const layerName = (layer) => (layer === "shared" ? "shared files" : LAYERS[layer]);
