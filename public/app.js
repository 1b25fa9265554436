import { ApiError } from "./api.js";
import { Chat } from "./chat.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { byId, icon, setState, setText } from "./dom.js";
import { Draft } from "./draft.js";
import { FilesPanel } from "./files/panel.js";
import { deliver } from "./outbox.js";
import { Rail } from "./rail.js";
import { SignIn } from "./sign-in.js";
import { Sessions, titleOf } from "./sessions.js";

const SESSION_ID = /^#\/([A-Za-z0-9][A-Za-z0-9._-]{0,127})$/;

/** How long a lost connection may go unmentioned, in milliseconds: idle ones end every minute and come back. */
const QUIET = { busy: 1_500, idle: 6_000 };

/** The page: which session is open, and what the person does with it. The address holds the session's id. */
class Page {
  #sessions = new Sessions();
  /** @type {Map<string, Draft>} */
  #drafts = new Map();
  /** @type {Chat | null} */
  #chat = null;
  /** What went wrong outside of a message's delivery. @type {Error | null} */
  #problem = null;
  #isAskingAgain = false;
  #isDrawing = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #lostTimer;
  #rail = new Rail(this.#sessions, (id) => this.#forget(id));
  #signIn = new SignIn(() => this.#signedIn());
  #files = new FilesPanel({ refuse: (error) => this.#signIn.ask(error) });
  #conversation = new Conversation({
    regenerate: () => void this.#regenerate(),
    loadOlder: () => void this.#chat?.loadOlder(),
  });
  #composer = new Composer({
    send: () => void this.#send(this.#draft),
    cancel: () => this.#cancel(),
    stop: () => void this.#attempt(this.#chat?.stop()),
    change: () => this.#draw(),
    fail: (error) => this.#fail(error),
  });

  start() {
    byId("jump").append(icon("down"));
    byId("new").addEventListener("click", () => this.#goTo(""));
    for (const id of ["open-files", "top-files"]) {
      byId(id).addEventListener("click", () => {
        this.#rail.close();
        this.#files.toggle();
      });
    }
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault();
      byId("message").focus();
    });
    for (const button of byId("examples").querySelectorAll("button")) {
      button.addEventListener("click", () => this.#ask(button.textContent ?? ""));
    }
    addEventListener("hashchange", () => this.#open());
    addEventListener("storage", () => this.#draw());
    addEventListener("online", () => this.#wake());
    document.addEventListener("visibilitychange", () =>
      document.hidden ? this.#chat?.rest() : this.#wake(),
    );
    this.#open();
  }

  get #draft() {
    return this.#draftOf(this.#chat?.id ?? "");
  }

  /** @param {string} session */
  #draftOf(session) {
    const draft = this.#drafts.get(session) ?? new Draft(session);
    this.#drafts.set(session, draft);
    return draft;
  }

  /** Opens what the address says. */
  #open() {
    const id = SESSION_ID.exec(location.hash)?.[1] ?? null;
    if (this.#chat && this.#chat.id === id) return;
    this.#chat?.close();
    this.#problem = null;
    this.#conversation.clear();
    this.#chat = id === null ? null : new Chat(id, this.#sessions, () => this.#draw());
    void this.#chat?.load().then(() => this.#forgetSent());
    this.#draw();
    this.#composer.focus();
  }

  /** @param {string} id Empty for a new conversation. */
  #goTo(id) {
    this.#rail.close();
    location.hash = id === "" ? "" : `/${id}`;
    this.#composer.focus();
  }

  /** A message that was accepted just before a reload is no draft any more. */
  #forgetSent() {
    const draft = this.#draft;
    if (!draft.isOnItsWay && this.#chat?.hasTurn(draft.key)) draft.clear();
    this.#draw();
  }

  /** @param {string} text */
  #ask(text) {
    this.#draft.text = text;
    void this.#send(this.#draft);
  }

  /** @param {Draft} draft */
  async #send(draft) {
    if (draft.isEmpty || draft.isOnItsWay) return;
    const chat = this.#chat ?? this.#begin(draft);
    const { content } = draft;
    const turn = draft.seal();
    this.#sessions.put(chat.id, {
      at: Date.now(),
      ...(this.#sessions.find(chat.id)?.title ? {} : { title: titleOf(draft.text) }),
    });
    const abort = new AbortController();
    draft.delivery = { state: "sending", abort };
    this.#problem = null;
    this.#draw();
    try {
      await deliver(chat.id, turn, {
        signal: abort.signal,
        onWait: (error) => {
          draft.delivery = { state: "waiting", abort, error };
          this.#draw();
        },
      });
      draft.clear();
      // The person may have looked at another conversation and come back.
      if (this.#chat?.id === chat.id) {
        this.#conversation.follow();
        this.#chat.accept(turn.key, content);
      }
    } catch (error) {
      const isRefused = error instanceof ApiError;
      draft.delivery = isRefused ? { state: "refused", error } : { state: "idle" };
    }
    this.#draw();
  }

  /** Gives the new conversation its id. @param {Draft} draft */
  #begin(draft) {
    const chat = new Chat(crypto.randomUUID(), this.#sessions, () => this.#draw());
    this.#chat = chat;
    this.#drafts.delete(draft.session);
    const { text } = draft;
    draft.text = "";
    draft.save();
    draft.text = text;
    draft.session = chat.id;
    this.#drafts.set(chat.id, draft);
    history.pushState(null, "", `#/${chat.id}`);
    return chat;
  }

  async #regenerate() {
    const chat = this.#chat;
    if (!chat || chat.isBusy || this.#isAskingAgain) return;
    this.#isAskingAgain = true;
    const turn = { key: crypto.randomUUID(), body: JSON.stringify({ regenerate: true }) };
    const { signal } = new AbortController();
    await this.#attempt(deliver(chat.id, turn, { signal, onWait: (error) => this.#fail(error) }));
    this.#isAskingAgain = false;
    chat.listen();
    this.#conversation.follow();
  }

  /** Shows what went wrong, or takes away what went wrong before. @param {Promise<void> | undefined} action */
  async #attempt(action) {
    try {
      await action;
      this.#problem = null;
      this.#draw();
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** @param {Error} error */
  #fail(error) {
    this.#problem = error;
    this.#draw();
  }

  /** The person answers the notice. */
  #cancel() {
    const { delivery } = this.#draft;
    if ("abort" in delivery) delivery.abort.abort();
    else if (delivery.state === "refused") this.#draft.delivery = { state: "idle" };
    else if (this.#chat?.problem) void this.#chat.retry();
    this.#problem = null;
    this.#draw();
  }

  /** Does again what the server refused without a key. */
  #signedIn() {
    this.#problem = null;
    if (this.#chat?.problem) void this.#chat.retry();
    if (this.#draft.delivery.state === "refused") void this.#send(this.#draft);
    void this.#files.refresh();
    this.#draw();
  }

  #wake() {
    if (this.#chat?.problem) void this.#chat.retry();
    else this.#chat?.wake();
  }

  /** @param {string} id */
  #forget(id) {
    this.#sessions.remove(id);
    if (this.#chat?.id === id) this.#goTo("");
    this.#draw();
  }

  /** Draws once for all that happens before the next frame. */
  #draw() {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#drawNow();
    });
  }

  #drawNow() {
    const chat = this.#chat;
    const title = (chat && this.#sessions.find(chat.id)?.title) || "New conversation";
    document.title = chat ? `${title} · Carrel` : "Carrel";
    this.#rail.render(chat?.id ?? null);
    const isEmpty =
      !chat || (chat.transcript.turns.length === 0 && !chat.isLoading && !chat.problem);
    byId("welcome").hidden = !isEmpty || this.#draft.isOnItsWay;
    setState(byId("top"), isEmpty ? "new" : "open");
    setText(byId("title"), isEmpty ? "Carrel" : title);
    byId("turns").setAttribute("aria-busy", String(chat?.isLoading ?? false));
    if (chat) this.#conversation.render(chat.transcript);
    const problem = this.#problem ?? chat?.problem ?? null;
    this.#composer.render(this.#draft, {
      isBusy: chat?.isBusy ?? false,
      problem,
      canRetry: !this.#problem,
    });
    this.#drawConnection();
    this.#signIn.render();
    this.#files.follow(chat?.id ?? null, chat?.isBusy ?? false);
    const { delivery } = this.#draft;
    const error = delivery.state === "refused" ? delivery.error : problem;
    if (error instanceof ApiError && error.status === 401) this.#signIn.ask(error);
  }

  #drawConnection() {
    const label = byId("connection");
    if (this.#chat?.connection !== "lost") {
      clearTimeout(this.#lostTimer);
      this.#lostTimer = undefined;
      setText(label, "");
    } else {
      const wait = this.#chat.isBusy ? QUIET.busy : QUIET.idle;
      this.#lostTimer ??= setTimeout(() => setText(label, "Reconnecting…"), wait);
    }
  }
}

new Page().start();
