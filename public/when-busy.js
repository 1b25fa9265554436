import { byId, element, setText } from "./dom.js";

/**
 * @typedef {import('./transcript.js').WhenBusy} WhenBusy
 *
 * What a turn does while a message is written: it runs, or waits for the person, for an app, or for both.
 * @typedef {'nothing' | 'running' | 'approval' | 'client' | 'both'} Work
 */

/** @type {readonly { choice: WhenBusy, name: string }[]} */
const CHOICES = [
  { choice: "queue", name: "Queue" },
  { choice: "steer", name: "Steer" },
  { choice: "replace", name: "Replace" },
];

/** @type {Record<Exclude<Work, 'nothing'>, Record<WhenBusy, string>>} */
const HINTS = {
  running: {
    queue: "Answered when this turn has ended.",
    steer: "Taken into this turn before its next step.",
    replace: "Stops this turn and is answered instead.",
  },
  approval: {
    queue: "Sending denies what waits for you, ends that turn, and your message is answered.",
    steer: "Sending denies what waits for you, and the turn goes on with your message.",
    replace: "Sending denies what waits for you, ends that turn, and your message is answered.",
  },
  client: {
    queue: "Answered when this turn has ended, which waits for an app.",
    steer: "Taken into this turn when the app has answered.",
    replace: "Stops this turn and is answered instead.",
  },
  both: {
    queue: "Sending denies what waits for you; your message then waits for the app.",
    steer: "Sending denies what waits for you; your message is taken in when the app has answered.",
    replace: "Sending denies what waits for you, stops this turn, and your message is answered.",
  },
};

/** What becomes of a message that is sent while a turn goes on; chosen for each message anew. */
export class WhenBusyChoice {
  #node = byId("when-busy");
  #hint = byId("when-busy-hint");
  /** @type {Map<WhenBusy, HTMLInputElement>} */
  #inputs = new Map();

  /** @param {(choice: WhenBusy) => void} onChoose */
  constructor(onChoose) {
    for (const { choice, name } of CHOICES) {
      const input = /** @type {HTMLInputElement} */ (
        element("input", {
          type: "radio",
          name: "when-busy",
          value: choice,
          onchange: () => onChoose(choice),
        })
      );
      this.#inputs.set(choice, input);
      this.#node.append(element("label", {}, input, element("span", {}, name)));
    }
  }

  /** @param {WhenBusy} choice @param {Work} work @param {boolean} isEmpty Whether there is no message yet. */
  render(choice, work, isEmpty) {
    const hadFocus = this.#node.contains(document.activeElement);
    this.#node.hidden = work === "nothing" || isEmpty;
    if (hadFocus && this.#node.hidden) byId("message").focus();
    const input = this.#inputs.get(choice);
    if (input && !input.checked) input.checked = true;
    const denies = work === "approval" || work === "both";
    this.#hint.hidden = this.#node.hidden && !denies;
    setText(this.#hint, work === "nothing" ? "" : HINTS[work][choice]);
  }
}

/** @param {import('./transcript.js').Transcript} transcript @param {readonly import('./transcript.js').Question[]} questions @returns {Work} */
export function workOf({ turns }, questions) {
  const states = turns.map(({ state }) => state);
  if (!states.includes("waiting"))
    return states.some((state) => state === "running" || state === "queued")
      ? "running"
      : "nothing";
  const isClient = questions.some(({ what }) => what === "client");
  if (!questions.some(({ what }) => what === "approval")) return "client";
  return isClient ? "both" : "approval";
}
