/**
 * @typedef {import('../src/shared/events.ts').SessionEvent} SessionEvent
 * @typedef {import('./transcript.js').Transcript} Transcript
 */

/**
 * @template {SessionEvent['type']} Type
 * @typedef {Extract<SessionEvent, { type: Type }>} EventOf
 */

/** A task has come to a state; one that has ended is not shown. @param {Transcript} transcript @param {EventOf<'task'>} event */
export function noteTask(transcript, { id, agent, session, title, state }) {
  const isOpen = state === "pending" || state === "running";
  const others = transcript.tasks.filter((task) => task.id !== id);
  if (!isOpen) return { ...transcript, tasks: others };
  const task = { id, agent, session, title, state };
  const tasks = transcript.tasks.map((one) => (one.id === id ? task : one));
  return { ...transcript, tasks: tasks.includes(task) ? tasks : [...tasks, task] };
}

/**
 * What a subagent's session says changes what it asks here, under the id that its calls have in this session.
 * @param {Transcript} transcript
 * @param {EventOf<'subagent'>} event
 * @returns {Transcript}
 */
export function noteSubagent(transcript, { agent, session, events }) {
  let { asked } = transcript;
  const source = { agent, session };
  for (const { event } of events) {
    if (event.type === "call-asked") {
      const call = `${session}.${event.call}`;
      asked = [...asked.filter((one) => one.call !== call), { ...event, call, source }];
    }
    if (event.type === "call-answered" || event.type === "tool-result")
      asked = asked.filter(({ call }) => call !== `${session}.${event.call}`);
    if (event.type === "turn-end") asked = asked.filter((one) => one.source?.session !== session);
  }
  return asked === transcript.asked ? transcript : { ...transcript, asked };
}

/** An answer was given here: nothing is asked about that call any more. @param {Transcript} transcript @param {string} call */
export const settled = (transcript, call) => ({
  ...transcript,
  asked: transcript.asked.filter((one) => one.call !== call),
});
