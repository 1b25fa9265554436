import { reduce } from "./transcript.js";
import { inCall, inTurn } from "./turn-change.js";

/**
 * @typedef {import('../src/shared/session-api.ts').HistoryPage} HistoryPage
 * @typedef {Extract<import('../src/shared/session-api.ts').HistoryPart, { type: 'tool' }>} HistoryToolPart
 * @typedef {import('./transcript.js').Part} Part
 * @typedef {import('./transcript.js').Transcript} Transcript
 * @typedef {import('./transcript.js').Turn} Turn
 */

/**
 * Puts a page of the history before what is there. What events already said of a turn wins.
 * @param {Transcript} transcript
 * @param {HistoryPage} page
 * @returns {Transcript}
 */
export function withHistory(transcript, page) {
  const known = new Map(transcript.turns.map((turn) => [turn.id, turn]));
  const older = [];
  for (const turn of turnsOf(page)) {
    const same = known.get(turn.id);
    if (!same) older.push(turn);
    else if (same.content === null) known.set(turn.id, { ...same, content: turn.content });
  }
  return { ...transcript, turns: [...older, ...known.values()], before: page.before };
}

/** @satisfies {Omit<Turn, 'id' | 'at' | 'state'>} */
const NOTHING_YET = { content: null, steps: [], error: null, usage: null };

/**
 * A turn without an answer is unfinished, and the status knows how.
 * @param {HistoryPage} page
 * @param {string} id
 */
const stateOf = ({ status }, id) =>
  status.turns.find((unfinished) => unfinished.turn === id)?.state ?? "completed";

/** @param {HistoryPage} page */
function turnsOf(page) {
  /** @type {Map<string, Turn>} */
  const turns = new Map();
  for (const message of page.messages) {
    const { turn: id, at } = message;
    const turn = turns.get(id) ?? { ...NOTHING_YET, id, at, state: stateOf(page, id) };
    if (message.role === "user") turns.set(id, { ...turn, content: message.content });
    else {
      const { state, error = null, usage = null, parts } = message;
      const steps = [{ id: null, model: "", parts: parts.map(partOf) }];
      turns.set(id, { ...turn, state, error, usage, steps });
    }
  }
  return turns.values();
}

/**
 * @param {import('../src/shared/session-api.ts').HistoryPart} part
 * @returns {Part}
 */
function partOf(part) {
  if (part.type === "steered") {
    const { message, content } = part;
    return { kind: "steered", message, content, isOpen: false };
  }
  if (part.type !== "tool") return { kind: part.type, text: part.text, isOpen: false };
  const { call, name, input, ...rest } = part;
  return { kind: "tool", call, name, input, isOpen: false, ...stateOfCall(rest) };
}

/** @param {Pick<HistoryToolPart, 'pending' | 'answered' | 'result'>} part */
const stateOfCall = ({ pending, answered, result }) => ({
  question: pending ?? null,
  answer: answered ?? null,
  result: result ?? null,
});

/**
 * What a page says of the calls that are shown, after somebody else was faster: their answers, or the questions as
 * they are asked now.
 * @param {Transcript} transcript
 * @param {HistoryPage} page
 * @returns {Transcript}
 */
export function withCalls(transcript, page) {
  let next = transcript;
  for (const message of page.messages) {
    if (message.role === "user") continue;
    for (const part of message.parts) {
      if (part.type !== "tool") continue;
      next = inTurn(next, message.turn, (turn) =>
        inCall(turn, part.call, (shown) => ({ ...shown, ...stateOfCall(part) })),
      );
    }
  }
  return reduce(next, { id: "", event: page.status });
}

/**
 * Where to read events from after loading the newest page of the history. Everything up to `status.last`
 * is in the history, but what an unfinished turn said is best told by its events.
 * @param {HistoryPage} page
 */
export const tailFrom = ({ status }) => status.turns[0]?.start ?? status.last;
