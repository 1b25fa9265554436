import type { ModelMessage } from "./messages.ts";

/** Whether a text only reminds a model of what holds, and is no part of the conversation. */
export const isReminder = (text: string): boolean => text.startsWith("<system-reminder>");

/** The messages without what was only a reminder, as people said them. */
export function withoutReminders(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role !== "user") return [message];
    const content = message.content.filter(
      (part) => part.type !== "text" || !isReminder(part.text),
    );
    return content.length === 0 && message.content.length > 0 ? [] : [{ ...message, content }];
  });
}
