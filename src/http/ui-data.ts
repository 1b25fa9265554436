import type {
  IdentifiedEvent,
  PendingCall,
  SessionEvent,
  SessionStatus,
} from "../shared/events.ts";
import { askedAs } from "../shared/subagents.ts";
import type { TaskNews } from "../shared/tasks.ts";

/**
 * What happens beside an answer, as data parts that are transient: a client hears of them in `onData`, and keeps none. A
 * subagent's question names the call under which it is answered in this session (`POST …/calls/<call>`).
 */
export type UiDataChunk =
  | {
      readonly type: "data-task";
      readonly id: string;
      readonly data: TaskNews;
      readonly transient: true;
    }
  | {
      readonly type: "data-question";
      readonly id: string;
      readonly data: PendingCall;
      readonly transient: true;
    }
  | {
      readonly type: "data-subagent";
      readonly data: {
        readonly source: string;
        readonly agent: string;
        readonly session: string;
        readonly events: readonly IdentifiedEvent[];
      };
      readonly transient: true;
    };

const taskChunk = (data: TaskNews): UiDataChunk => ({
  type: "data-task",
  id: data.id,
  data,
  transient: true,
});

const questionChunk = (data: PendingCall): UiDataChunk => ({
  type: "data-question",
  id: data.call,
  data,
  transient: true,
});

/** What goes on beside the turn as a stream begins. */
export const dataOf = ({ tasks = [], pending }: SessionStatus): UiDataChunk[] => [
  ...tasks.map(taskChunk),
  ...pending.filter(({ source }) => source !== undefined).map(questionChunk),
];

/** What an event tells beside the turn; nothing for those of the turn itself. */
export function toData(event: SessionEvent): UiDataChunk[] {
  if (event.type === "task") {
    const { id, agent, session, title, state } = event;
    return [taskChunk({ id, agent, session, title, state })];
  }
  if (event.type !== "subagent") return [];
  const { source, agent, session, events } = event;
  const questions = events.flatMap(({ event: inner }): PendingCall[] => {
    if (inner.type !== "call-asked") return [];
    const { turn, name, what, input, digest, reason, suggested, expiresAt } = inner;
    const call = askedAs(session, inner.call);
    const asked = { turn, call, name, what, input, digest, reason, suggested, expiresAt };
    return [{ ...asked, source: { agent, session } }];
  });
  return [
    { type: "data-subagent", data: { source, agent, session, events }, transient: true },
    ...questions.map(questionChunk),
  ];
}
