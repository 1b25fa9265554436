/**
 * What events change in the turns of a transcript. Nothing here changes its arguments.
 *
 * @typedef {import('./transcript.js').Transcript} Transcript
 * @typedef {import('./transcript.js').Turn} Turn
 * @typedef {import('./transcript.js').Step} Step
 * @typedef {import('./transcript.js').Part} Part
 * @typedef {import('./transcript.js').ToolPart} ToolPart
 * @typedef {import('../src/shared/events.ts').SessionEvent} SessionEvent
 */

/**
 * @template {SessionEvent['type']} Type
 * @typedef {Extract<SessionEvent, { type: Type }>} EventOf
 */

/**
 * The turn's events are the whole truth about it, so they replace what the history or the composer said.
 * Turns that still wait for their start stay behind it.
 * @param {Transcript} transcript
 * @param {EventOf<'turn-start'>} event
 * @returns {Transcript}
 */
export function startTurn(transcript, event) {
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
 * @param {EventOf<'step-start'>} event
 * @param {string} id
 * @returns {Transcript}
 */
export function startStep(transcript, event, id) {
  const step = { id, model: event.model, parts: [] };
  const next = inTurn(transcript, event.turn, (turn) => ({
    ...turn,
    state: "running",
    steps: [...turn.steps, step],
  }));
  return { ...next, current: event.turn };
}

/**
 * A message that waited is from now on a part of the turn that took it in.
 * @param {Transcript} transcript
 * @param {EventOf<'steered'>} event
 * @param {string} id
 * @returns {Transcript}
 */
export function steerTurn(transcript, event, id) {
  const { message, content } = event;
  /** @type {Step} */
  const step = { id, model: "", parts: [{ kind: "steered", message, content, isOpen: false }] };
  const turns = transcript.turns.filter((turn) => turn.id !== message);
  return inTurn({ ...transcript, turns }, event.turn, (turn) => ({
    ...turn,
    steps: [...turn.steps, step],
  }));
}

/**
 * What became of the agent's view of the conversation is told in the turn that was taken up last.
 * @param {Transcript} transcript
 * @param {EventOf<'compacted'>} event
 * @param {string} id
 * @returns {Transcript}
 */
export function noteCompaction(transcript, { how, before, after, why }, id) {
  const place = transcript.turns.findLast(({ state }) => state !== "queued");
  if (!place) return transcript;
  const reason = why === undefined ? {} : { why };
  /** @type {Part} */
  const part = { kind: "compacted", how, before, after, ...reason, isOpen: false };
  return inTurn(transcript, place.id, (turn) => ({
    ...turn,
    steps: [...turn.steps, { id, model: "", parts: [part] }],
  }));
}

/** What stays of a step that is given up: that the context was made shorter is true all the same. @param {Step} step @returns {Step[]} */
export function compactionsOf(step) {
  const parts = step.parts.filter(({ kind }) => kind === "compacted");
  return parts.length === 0 ? [] : [{ ...step, parts }];
}

/**
 * Nothing in a turn that ended can be answered any more.
 * @param {Transcript} transcript
 * @param {EventOf<'turn-end'>} event
 */
export function endTurn(transcript, event) {
  const { outcome, error = null, usage } = event;
  return inTurn(transcript, event.turn, (turn) => ({
    ...turn,
    state: outcome,
    error,
    usage,
    steps: turn.steps.map((step) =>
      step.parts.some(isPending) ? { ...step, parts: step.parts.map(withoutQuestion) } : step,
    ),
  }));
}

/** @param {Transcript} transcript @param {EventOf<'call-asked'>} event */
export const askCall = (transcript, event) =>
  inTurn(transcript, event.turn, (turn) =>
    inCall(turn, event.call, (part) => ({ ...part, question: event, answer: null })),
  );

/**
 * A turn goes on when a call may run, or when it waits for nothing any more.
 * @param {Transcript} transcript
 * @param {Pick<EventOf<'call-answered'>, 'turn' | 'call' | 'answer' | 'by' | 'reason' | 'input'>} event
 */
export function answerCall(transcript, { turn: id, call, answer: outcome, ...rest }) {
  return inTurn(transcript, id, (turn) => {
    const answer = { answer: outcome, ...rest };
    const next = inCall(turn, call, (part) => ({ ...part, question: null, answer }));
    const goesOn = outcome === "approved" || !partsOf(next).some(isPending);
    return next.state === "waiting" && goesOn ? { ...next, state: "running" } : next;
  });
}

/** @param {Transcript} transcript @param {EventOf<'tool-result'>} event */
export const endCall = (transcript, { turn: id, call, status, content, evicted }) =>
  inTurn(transcript, id, (turn) =>
    inCall(turn, call, (part) => ({
      ...part,
      isOpen: false,
      question: null,
      result: { status, content, ...(evicted ? { evicted } : {}) },
    })),
  );

/** Every part of a turn's answer, in order. @param {Turn} turn */
export const partsOf = (turn) => turn.steps.flatMap((step) => step.parts);

/**
 * Whether the part waits for an answer from outside.
 * @param {Part} part
 * @returns {part is ToolPart & { question: import('../src/shared/events.ts').PendingCall }}
 */
export const isPending = (part) => part.kind === "tool" && part.question !== null;

/** @param {Part} part @returns {Part} */
const withoutQuestion = (part) => (isPending(part) ? { ...part, question: null } : part);

/**
 * @param {Transcript} transcript
 * @param {string} id
 * @param {(turn: Turn) => Turn} change
 * @returns {Transcript}
 */
export function inTurn(transcript, id, change) {
  const index = transcript.turns.findLastIndex((turn) => turn.id === id);
  const turn = transcript.turns[index];
  if (!turn) return transcript;
  const changed = change(turn);
  return changed === turn
    ? transcript
    : { ...transcript, turns: transcript.turns.with(index, changed) };
}

/**
 * @param {Turn} turn
 * @param {string} call
 * @param {(part: ToolPart) => ToolPart} change
 * @returns {Turn}
 */
export function inCall(turn, call, change) {
  const isCall = (/** @type {Part} */ part) => part.kind === "tool" && part.call === call;
  const index = turn.steps.findLastIndex((step) => step.parts.some(isCall));
  const step = turn.steps[index];
  if (!step) return turn;
  const parts = step.parts.map((part) =>
    part.kind === "tool" && part.call === call ? change(part) : part,
  );
  return { ...turn, steps: turn.steps.with(index, { ...step, parts }) };
}

/**
 * @param {Transcript} transcript
 * @param {(step: Step) => Step} change
 */
export function inLastStep(transcript, change) {
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
export function inLastPart(transcript, change) {
  return inLastStep(transcript, (step) => {
    const part = step.parts.at(-1);
    return part ? { ...step, parts: step.parts.with(-1, change(part)) } : step;
  });
}

/**
 * @param {Transcript} transcript
 * @param {Part} part
 */
export const openPart = (transcript, part) =>
  inLastStep(transcript, (step) => ({ ...step, parts: [...step.parts.map(closePart), part] }));

/** @param {Part} part */
export const closePart = (part) => (part.isOpen ? { ...part, isOpen: false } : part);

/**
 * @param {Part} part
 * @param {string} text
 * @returns {Part}
 */
export function growPart(part, text) {
  if (part.kind === "steered" || part.kind === "compacted") return part;
  return part.kind === "tool"
    ? { ...part, input: part.input + text }
    : { ...part, text: part.text + text };
}
