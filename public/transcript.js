import { noteSubagent, noteTask } from "./task-change.js";
import {
  answerCall,
  askCall,
  closePart,
  compactionsOf,
  endCall,
  endTurn,
  growPart,
  inLastPart,
  inLastStep,
  inTurn,
  isPending,
  noteCompaction,
  openPart,
  partsOf,
  startStep,
  startTurn,
  steerTurn,
} from "./turn-change.js";

/**
 * What the page knows of one session, as a pure function of its history and its events.
 *
 * @typedef {import('../src/shared/events.ts').SessionEvent} SessionEvent
 * @typedef {import('../src/shared/events.ts').TurnState} TurnState
 * @typedef {import('../src/shared/events.ts').PendingCall} Question
 * @typedef {import('../src/shared/messages.ts').ContentPart} ContentPart
 * @typedef {import('../src/shared/permissions.ts').PermissionMode} PermissionMode
 * @typedef {import('../src/shared/session-api.ts').WhenBusy} WhenBusy
 *
 * @typedef {{ kind: 'text' | 'reasoning', text: string, isOpen: boolean }} SpokenPart
 *
 * How a call that waited was answered; `input` are the arguments that a person put in the place of the model's.
 * @typedef {{
 *   answer: import('../src/shared/events.ts').CallAnswered, by: string, reason?: string, input?: string,
 * }} Answer
 *
 * `question` is there while the call waits for an answer from outside.
 * @typedef {{
 *   kind: 'tool', call: string, name: string, input: string, isOpen: boolean,
 *   question: Question | null, answer: Answer | null,
 *   result: { status: string, content: readonly ContentPart[], evicted?: Evicted } | null,
 * }} ToolPart
 *
 * The file that has all of a result which was too long for the conversation.
 * @typedef {{ path: string, chars: number }} Evicted
 *
 * A message of the person that was taken into the turn here.
 * @typedef {{ kind: 'steered', message: string, content: readonly ContentPart[], isOpen: false }} SteeredPart
 *
 * The agent's view of the conversation was made shorter here.
 * @typedef {import('./compaction.js').Compaction & { kind: 'compacted', isOpen: false }} CompactedPart
 * @typedef {SpokenPart | ToolPart | SteeredPart | CompactedPart} Part
 *
 * One attempt at asking the model, or what came between two. `id` is the cursor of its start; `null` when it
 * comes from the history.
 * @typedef {{ id: string | null, model: string, parts: readonly Part[] }} Step
 *
 * `content` is `null` while the turn's message is not known here: on a page of the history that is not loaded, or
 * in line behind another turn. `whenBusy` is what was chosen for a message that this page sent.
 * @typedef {{
 *   id: string, at: number, content: readonly ContentPart[] | null, state: TurnState, steps: readonly Step[],
 *   error: { code: string, message: string } | null,
 *   usage: { input: number, output: number } | null,
 *   whenBusy?: WhenBusy,
 * }} Turn
 *
 * `last` is the id of the newest event taken in; `before` pages to older history, `null` when all is here; `mode` is
 * `null` until the server said it.
 * @typedef {{
 *   turns: readonly Turn[], current: string | null, last: string, before: number | null,
 *   mode: PermissionMode | null, work: import('./work.js').Work,
 *   tasks: readonly import('./tasks.js').Task[], asked: readonly Question[],
 * }} Transcript `tasks` have not ended; `asked` is what subagents ask.
 */

/** The place before the first event of a session. */
export const START = "0.0";

/** @type {import('./work.js').Work} */
const NO_WORK = { plan: null, todos: [] };

/** @type {Transcript} */
export const EMPTY = {
  turns: [],
  current: null,
  last: START,
  before: null,
  mode: null,
  work: NO_WORK,
  tasks: [],
  asked: [],
};

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

/** The turn that waits for an answer from outside, if one does. @param {Transcript} transcript */
export const waitingTurn = (transcript) =>
  transcript.turns.find((turn) => turn.state === "waiting") ?? null;

/** The calls that wait for an answer from outside, in order. @param {Transcript} transcript @returns {Question[]} */
export const questionsOf = (transcript) =>
  transcript.turns.flatMap((turn) =>
    isUnfinished(turn.state)
      ? partsOf(turn).flatMap((part) => (isPending(part) ? [part.question] : []))
      : [],
  );

/** Whether the message is here, as a turn or in one. @param {Transcript} transcript @param {string} message */
export const hasMessage = (transcript, message) =>
  transcript.turns.some(
    (turn) =>
      turn.id === message ||
      partsOf(turn).some((part) => part.kind === "steered" && part.message === message),
  );

/**
 * The transcript after one event. An event that was already taken in changes nothing.
 * @param {Transcript} transcript
 * @param {{ id: string, event: SessionEvent }} identified `id` is not looked at for `status`.
 * @returns {Transcript}
 */
export function reduce(transcript, { id, event }) {
  if (event.type === "status") {
    const { turns, mode, pending, tasks = [], plan = null, todos = NO_WORK.todos } = event;
    const asked = pending.filter(({ source }) => source !== undefined);
    return { ...withStates(transcript, turns), mode, work: { plan, todos }, tasks, asked };
  }
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
    case "step-start":
      return startStep(transcript, event, id);
    case "text-start":
    case "reasoning-start":
      return openPart(transcript, {
        kind: event.type === "text-start" ? "text" : "reasoning",
        text: "",
        isOpen: true,
      });
    case "tool-call-start":
      return openPart(transcript, { ...NEW_CALL, call: event.call, name: event.name });
    case "text":
    case "reasoning":
    case "tool-call":
      return inLastPart(transcript, (part) => growPart(part, event.text));
    case "text-end":
    case "reasoning-end":
    case "tool-call-end":
      return inLastPart(transcript, closePart);
    case "step-end":
      return inLastStep(transcript, (step) => ({ ...step, parts: step.parts.map(closePart) }));
    case "tool-result":
      return endCall(transcript, event);
    case "call-asked":
      return askCall(transcript, event);
    case "call-answered":
      return answerCall(transcript, event);
    case "turn-waiting":
      return inTurn(transcript, event.turn, (turn) => ({ ...turn, state: "waiting" }));
    case "steered":
      return steerTurn(transcript, event, id);
    case "step-reset":
      return inTurn(transcript, event.turn, (turn) => ({
        ...turn,
        steps: turn.steps.flatMap((step) =>
          step.id === null || compareCursors(step.id, event.to) < 0 ? [step] : compactionsOf(step),
        ),
      }));
    case "turn-end":
      return endTurn(transcript, event);
    case "compacted":
      return noteCompaction(transcript, event, id);
    case "permissions":
      return { ...transcript, mode: event.mode };
    case "plan":
      return { ...transcript, work: { ...transcript.work, plan: event } };
    case "todos":
      return { ...transcript, work: { ...transcript.work, todos: event.todos } };
    case "task":
      return noteTask(transcript, event);
    case "subagent":
      return noteSubagent(transcript, event);
    case "cleared":
      return {
        ...transcript,
        turns: transcript.turns.filter(isInLine),
        current: null,
        before: null,
      };
    default:
      return transcript;
  }
}

/** @satisfies {Omit<ToolPart, 'call' | 'name'>} */
const NEW_CALL = {
  kind: /** @type {const} */ ("tool"),
  input: "",
  isOpen: true,
  question: null,
  answer: null,
  result: null,
};

/** A conversation is cleared only between turns, so what is in line came afterwards. @param {Turn} turn */
const isInLine = (turn) => turn.state === "queued";

/** @satisfies {Omit<Turn, 'id' | 'content' | 'at'>} */
const IN_LINE = { state: /** @type {const} */ ("queued"), steps: [], error: null, usage: null };

/**
 * @param {Transcript} transcript
 * @param {readonly { turn: string, state: TurnState }[]} states Of the unfinished turns, as of now.
 */
function withStates(transcript, states) {
  return states.reduce((next, { turn: id, state }) => {
    if (state === "queued" && !hasMessage(next, id))
      return { ...next, turns: [...next.turns, { ...IN_LINE, id, at: 0, content: null }] };
    return inTurn(next, id, (turn) =>
      isUnfinished(turn.state) && turn.state !== state ? { ...turn, state } : turn,
    );
  }, transcript);
}

/**
 * A message was accepted. Adds nothing when its events were faster than the answer to its POST.
 * @param {Transcript} transcript
 * @param {string} id
 * @param {readonly ContentPart[]} content
 * @param {WhenBusy} [whenBusy]
 * @returns {Transcript}
 */
export function withAccepted(transcript, id, content, whenBusy = "queue") {
  if (hasMessage(transcript, id))
    return inTurn(transcript, id, (turn) =>
      turn.content === null ? { ...turn, content, whenBusy } : turn,
    );
  const turn = { ...IN_LINE, id, at: Date.now(), content, whenBusy };
  return { ...transcript, turns: [...transcript.turns, turn] };
}

/** The answer as the Markdown it was written in. @param {Turn} turn */
export function answerText(turn) {
  const texts = partsOf(turn).flatMap((part) => (part.kind === "text" ? [part.text] : []));
  return texts.join("\n\n").trim();
}
