import { say, type Answer } from "./answer.ts";
import type { Conversation } from "./conversation.ts";

const TOLD = /<task_result id="[^"]*" agent="([^"]*)" status="([^"]*)">\n([^]*?)\n<\/task_result>/g;
const IS_TOLD = /^Work that was handed on has ended\./;

const ENDED: Readonly<Record<string, string>> = {
  completed: "is done",
  failed: "has failed",
  cancelled: "was stopped",
};

/** What came of work that was handed on, where that is what the newest message tells. */
export function answerTasks({ said }: Conversation): Answer | null {
  if (!IS_TOLD.test(said)) return null;
  const told = [...said.matchAll(TOLD)].map(
    ([, agent = "", status = "", text = ""]) =>
      `**${agent}** ${ENDED[status] ?? status}:\n\n${text.trim()}`,
  );
  return say(told.length === 0 ? "What I had handed on has ended." : told.join("\n\n"));
}
