import { byId, setState, setText } from "./dom.js";

/**
 * What stands above and behind the conversation: its title, the welcome, and in the tab how much waits for the person.
 * @param {{
 *   chat: import('./chat.js').Chat | null, title: string, waiting: number, isAbsent: boolean, isSending: boolean,
 * }} now
 */
export function renderHead({ chat, title, waiting, isAbsent, isSending }) {
  const count = waiting > 0 ? `(${waiting}) ` : "";
  document.title = count + (chat ? `${title} · Carrel` : "Carrel");
  const isEmpty = !chat || (chat.transcript.turns.length === 0 && !chat.isLoading && !chat.problem);
  byId("welcome").hidden = !isEmpty || isAbsent || isSending;
  setState(byId("top"), isEmpty ? "new" : "open");
  setText(byId("title"), isEmpty ? "Carrel" : title);
  byId("turns").setAttribute("aria-busy", String(chat?.isLoading ?? false));
  byId("turns").hidden = isAbsent;
}
