/**
 * What the page knows of one session, as a pure function of its history and its events.
 *
 * @typedef {import('../src/shared/events.ts').SessionEvent} SessionEvent
 * @typedef {import('../src/shared/events.ts').TurnState} TurnState
 * @typedef {import('../src/shared/messages.ts').ContentPart} ContentPart
 *
 * @typedef {{ kind: 'text' | 'reasoning', text: string, isOpen: boolean }} SpokenPart
 * @typedef {{
 *   kind: 'tool', call: string, name: string, input: string, isOpen: boolean,
 *   result: { status: string, content: readonly ContentPart[] } | null,
 * }} ToolPart
 * @typedef {SpokenPart | ToolPart} Part
 *
 * One attempt at asking the model. `id` is the cursor of its start; `null` when it comes from the history.
 * @typedef {{ id: string | null, model: string, parts: readonly Part[] }} Step
 *
 * `content` is `null` while the turn's message is on a page of the history that is not loaded.
 * @typedef {{
 *   id: string, at: number, content: readonly ContentPart[] | null, state: TurnState, steps: readonly Step[],
 *   error: { code: string, message: string } | null,
 *   usage: { input: number, output: number } | null,
 * }} Turn
 *
 * `last` is the id of the newest event taken in; `before` pages to older history, `null` when all is here.
 * @typedef {{
 *   turns: readonly Turn[], current: string | null, last: string, before: number | null,
 * }} Transcript
 */

/** The place before the first event of a session. */
export const START = "0.0";

/** @type {Transcript} */
export const EMPTY = { turns: [], current: null, last: START, before: null };

/**
 * Orders two cursors, `<seq>.<offset>`: negative when `a` comes before `b`.
 * @param {string} a
 * @param {string} b
 */
export function compareCursors(a, b) {
  const [seqA = 0, offsetA = 0] = a.split(".").map(Number);
  const [seqB = 0, offsetB = 0] = b.split(".").map(Number);
  return seqA - seqB || offsetA - offsetB;
}

/** @param {TurnState} state */
export const isUnfinished = (state) =>
  state === "queued" || state === "running" || state === "waiting";

/** Whether an answer is on its way. @param {Transcript} transcript */
export const isBusy = (transcript) => transcript.turns.some((turn) => isUnfinished(turn.state));

/**
 * The transcript after one event. An event that was already taken in changes nothing.
 * @param {Transcript} transcript
 * @param {{ id: string, event: SessionEvent }} identified `id` is not looked at for `status`.
 * @returns {Transcript}
 */
export function reduce(transcript, { id, event }) {
  if (event.type === "status") return withStates(transcript, event.turns);
  if (compareCursors(id, transcript.last) <= 0) return transcript;
  return { ...apply(transcript, id, event), last: id };
}

/**
 * @param {Transcript} transcript
 * @param {string} id
 * @param {Exclude<SessionEvent, { type: 'status' }>} event
 * @returns {Transcript}
 */
function apply(transcript, id, event) {
  switch (event.type) {
    case "turn-start":
      return startTurn(transcript, event);
    case "step-start": {
      const step = { id, model: event.model, parts: [] };
      const next = inTurn(transcript, event.turn, (turn) => ({
        ...turn,
        steps: [...turn.steps, step],
      }));
      return { ...next, current: event.turn };
    }
    case "text-start":
    case "reasoning-start":
      return open(transcript, {
        kind: event.type === "text-start" ? "text" : "reasoning",
        text: "",
        isOpen: true,
      });
    case "tool-call-start": {
      const { call, name } = event;
      return open(transcript, { kind: "tool", call, name, input: "", isOpen: true, result: null });
    }
    case "text":
    case "reasoning":
    case "tool-call":
      return inLastPart(transcript, (part) => grow(part, event.text));
    case "text-end":
    case "reasoning-end":
    case "tool-call-end":
      return inLastPart(transcript, (part) => ({ ...part, isOpen: false }));
    case "step-end":
      return inLastStep(transcript, (step) => ({ ...step, parts: step.parts.map(close) }));
    case "tool-result":
      return inTurn(transcript, event.turn, (turn) => withResult(turn, event));
    case "step-reset":
      return inTurn(transcript, event.turn, (turn) => ({
        ...turn,
        steps: turn.steps.filter(
          (step) => step.id === null || compareCursors(step.id, event.to) < 0,
        ),
      }));
    case "turn-end": {
      const { outcome, error = null, usage } = event;
      return inTurn(transcript, event.turn, (turn) => ({ ...turn, state: outcome, error, usage }));
    }
    default:
      return transcript;
  }
}

/**
 * The turn's events are the whole truth about it, so they replace what the history or the composer said.
 * Turns that still wait for their start stay behind it.
 * @param {Transcript} transcript
 * @param {Extract<SessionEvent, { type: 'turn-start' }>} event
 * @returns {Transcript}
 */
function startTurn(transcript, event) {
  const { turn: id, at, content, replaces } = event;
  /** @type {Turn} */
  const turn = { id, at, content, state: "running", steps: [], error: null, usage: null };
  const rest = transcript.turns.filter((other) => other.id !== replaces);
  const place = rest.findIndex((other) => other.id === id && other.state !== "queued");
  if (place >= 0) return { ...transcript, turns: rest.with(place, turn), current: id };
  const others = rest.filter((other) => other.id !== id);
  const queue = others.findIndex((other) => other.state === "queued");
  const index = queue < 0 ? others.length : queue;
  return { ...transcript, turns: others.toSpliced(index, 0, turn), current: id };
}

/**
 * @param {Transcript} transcript
 * @param {string} id
 * @param {(turn: Turn) => Turn} change
 * @returns {Transcript}
 */
function inTurn(transcript, id, change) {
  const index = transcript.turns.findLastIndex((turn) => turn.id === id);
  const turn = transcript.turns[index];
  return turn ? { ...transcript, turns: transcript.turns.with(index, change(turn)) } : transcript;
}

/**
 * @param {Transcript} transcript
 * @param {(step: Step) => Step} change
 */
function inLastStep(transcript, change) {
  if (transcript.current === null) return transcript;
  return inTurn(transcript, transcript.current, (turn) => {
    const step = turn.steps.at(-1);
    return step ? { ...turn, steps: turn.steps.with(-1, change(step)) } : turn;
  });
}

/**
 * @param {Transcript} transcript
 * @param {(part: Part) => Part} change
 */
function inLastPart(transcript, change) {
  return inLastStep(transcript, (step) => {
    const part = step.parts.at(-1);
    return part ? { ...step, parts: step.parts.with(-1, change(part)) } : step;
  });
}

/**
 * @param {Transcript} transcript
 * @param {Part} part
 */
const open = (transcript, part) =>
  inLastStep(transcript, (step) => ({ ...step, parts: [...step.parts.map(close), part] }));

/** @param {Part} part */
const close = (part) => (part.isOpen ? { ...part, isOpen: false } : part);

/**
 * @param {Part} part
 * @param {string} text
 * @returns {Part}
 */
function grow(part, text) {
  return part.kind === "tool"
    ? { ...part, input: part.input + text }
    : { ...part, text: part.text + text };
}

/**
 * @param {Turn} turn
 * @param {Extract<SessionEvent, { type: 'tool-result' }>} event
 * @returns {Turn}
 */
function withResult(turn, { call, status, content }) {
  const isCall = (/** @type {Part} */ part) => part.kind === "tool" && part.call === call;
  const index = turn.steps.findLastIndex((step) => step.parts.some(isCall));
  const step = turn.steps[index];
  if (!step) return turn;
  const parts = step.parts.map((part) =>
    isCall(part) ? { ...part, isOpen: false, result: { status, content } } : part,
  );
  return { ...turn, steps: turn.steps.with(index, { ...step, parts }) };
}

/**
 * @param {Transcript} transcript
 * @param {readonly { turn: string, state: TurnState }[]} states Of the unfinished turns, as of now.
 */
function withStates(transcript, states) {
  return states.reduce(
    (next, { turn: id, state }) =>
      inTurn(next, id, (turn) =>
        isUnfinished(turn.state) && turn.state !== state ? { ...turn, state } : turn,
      ),
    transcript,
  );
}

/**
 * A message was accepted. Does nothing when its events were faster than the answer to its POST.
 * @param {Transcript} transcript
 * @param {string} id
 * @param {readonly ContentPart[]} content
 * @returns {Transcript}
 */
export function withAccepted(transcript, id, content) {
  if (transcript.turns.some((turn) => turn.id === id)) return transcript;
  /** @type {Turn} */
  const turn = {
    id,
    at: Date.now(),
    content,
    state: "queued",
    steps: [],
    error: null,
    usage: null,
  };
  return { ...transcript, turns: [...transcript.turns, turn] };
}

/** The answer as the Markdown it was written in. @param {Turn} turn */
export function answerText(turn) {
  const texts = turn.steps.flatMap((step) =>
    step.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])),
  );
  return texts.join("\n\n").trim();
}
