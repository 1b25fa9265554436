import * as z from "zod";
import { CarrelError } from "../../shared/errors.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { count } from "../../tools/truncate.ts";
import { sessionFiles } from "../../turn/records/session-files.ts";
import { agentInput, sessionInput, sessionsOf } from "./agent-input.ts";
import { moment, shortened } from "./log-lines.ts";
import { endOfLog, type LogEnd } from "./log-end.ts";

const MAX_MESSAGE = 500;

/** How a conversation ended so far. */
export const sessionHistory = defineTool({
  name: "session_history",
  description:
    "Shows the newest messages of one conversation, in order, each up to 500 characters. What tools did is left out.",
  input: z.strictObject({
    sessionId: sessionInput,
    agentId: agentInput,
    lastN: z
      .int()
      .min(1)
      .max(200)
      .default(20)
      .describe("How many messages, 1 to 200. Default: 20."),
  }),
  effect: "read",
  replay: "pure",
  subjects: ({ agentId, sessionId }) =>
    agentId === undefined
      ? { within: [sessionsOf(agentId)] }
      : { paths: [`${sessionsOf(agentId)}/${sessionId}.log.jsonl`] },
  async run({ sessionId, agentId, lastN }, { workspace, address }) {
    const agent = agentId ?? address.agent;
    const path = sessionFiles({ ...address, agent, session: sessionId }).log;
    try {
      const end = await endOfLog(workspace, path, lastN);
      return shown(end, `Session ${sessionId} of ${agent}`);
    } catch (error) {
      if (!(error instanceof CarrelError) || error.code !== "not_found") throw error;
      return `No conversation ${sessionId} with ${agent} was found. session_list names those that there are; a conversation is there once its first turn has ended.`;
    }
  },
});

function shown({ messages, total, lines }: LogEnd, name: string): string {
  const log = `a log of ${lines === 1 ? "1 line" : `${count(lines)} lines`}`;
  if (messages.length === 0)
    return `${name}: nothing was said in words${total === null ? " in the newest part" : ""}, in ${log}.`;
  const isOne = (total ?? messages.length) === 1;
  const all = total === null ? "" : ` of ${count(total)}`;
  const said = messages.map(
    ({ role, text, at }) => `[${role}] ${moment(at)}: ${shortened(text, MAX_MESSAGE)}`,
  );
  return [
    `${name}: the newest ${messages.length}${all} ${isOne ? "message" : "messages"}, of ${log}`,
    ...said,
  ].join("\n");
}
