import type { ModelMessage } from "./messages.ts";

/** The tag of what a model is reminded of, which is no part of the conversation. */
export const REMINDER = "system-reminder";

/** Whether a text is a reminder. */
export const isReminder = (text: string): boolean => text.startsWith(`<${REMINDER}>`);

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
