import { hrefOf, opened, takeLink } from "./address.js";
import { ApiError, isGone } from "./api.js";
import { Chat } from "./chat.js";
import { Composer } from "./composer.js";
import { ConnectionLabel } from "./connection.js";
import { Conversation } from "./conversation.js";
import { byId } from "./dom.js";
import { Drafts } from "./drafts.js";
import { GoneView } from "./gone.js";
import { renderHead } from "./head.js";
import { storedKey } from "./key.js";
import { deliver } from "./outbox.js";
import { Panels } from "./panels.js";
import { PermissionsControl } from "./permissions.js";
import { Rail } from "./rail.js";
import { sendDraft } from "./sending.js";
import { SessionList } from "./session-list.js";
import { Sessions } from "./sessions.js";
import { SignIn } from "./sign-in.js";
import { placeInTime } from "./time-zone.js";
import { questionsOf } from "./transcript.js";
import { workOf } from "./when-busy.js";

/** @typedef {import('./draft.js').Draft} Draft */

/** The page: which session is open, and what the person does with it. The address holds the session's id. */
class Page {
  #sessions = new Sessions();
  #drafts = new Drafts();
  /** @type {Chat | null} */
  #chat = null;
  /** What went wrong outside of a message's delivery. @type {Error | null} */
  #problem = null;
  #isAskingAgain = false;
  #isDrawing = false;
  #list = new SessionList(this.#sessions, {
    change: () => this.#draw(),
    fail: (error) => this.#fail(error),
    refuse: (error) => this.#refuse(error),
  });
  #rail = new Rail(this.#sessions, {
    more: () => void this.#list.more(),
    look: () => void this.#list.refresh(),
    rename: (id, title) => this.#list.rename(id, title),
    clear: (id) => void this.#clear(id),
    remove: (id) => void this.#remove(id),
  });
  #signIn = new SignIn(() => this.#signedIn());
  #panels = new Panels(this.#sessions, {
    closeRail: () => this.#rail.close(),
    refuse: (error) => this.#signIn.ask(error),
  });
  #gone = new GoneView(() => this.#leave());
  #connection = new ConnectionLabel();
  #permissions = new PermissionsControl({
    chat: () => this.#chat,
    draft: () => this.#draft,
    change: () => this.#draw(),
    fail: (error) => this.#failHere(error),
    openFile: (path) => void this.#panels.showFile(path),
  });
  #conversation = new Conversation({
    regenerate: () => void this.#regenerate(),
    loadOlder: () => void this.#chat?.loadOlder(),
    decide: async (question, decision) => this.#chat?.decide(question, decision),
    openFile: (path) => void this.#panels.showFile(path),
    readPlan: async () => (await this.#chat?.readPlan()) ?? null,
    stopTask: (task) => this.#attempt(this.#chat?.stopTask(task)),
  });
  #composer = new Composer({
    send: () => void this.#send(this.#draft),
    cancel: () => this.#cancel(),
    stop: () => void this.#attempt(this.#chat?.stop()),
    change: () => this.#draw(),
    fail: (error) => this.#fail(error),
  });

  start() {
    byId("new").addEventListener("click", () => this.#goTo(""));
    for (const button of byId("examples").querySelectorAll("button")) {
      button.addEventListener("click", () => this.#ask(button.textContent ?? ""));
    }
    addEventListener("hashchange", () => this.#open());
    addEventListener("storage", () => this.#draw());
    addEventListener("online", () => this.#wake());
    document.addEventListener("visibilitychange", () =>
      document.hidden ? this.#chat?.rest() : this.#wake(),
    );
    takeLink();
    this.#open();
    void this.#list.refresh();
  }

  get #draft() {
    return this.#drafts.of(this.#chat?.id ?? "");
  }

  /** @param {string} id */
  #chatOf(id) {
    return new Chat(id, this.#sessions, {
      change: () => this.#draw(),
      news: () => this.#list.expectNews(),
    });
  }

  /** Opens what the address says. */
  #open() {
    const place = opened();
    const id = place === null || place === "nothing" ? null : place.session;
    if (this.#chat && this.#chat.id === id) return;
    this.#chat?.close();
    this.#problem = null;
    this.#conversation.clear();
    this.#chat = id === null ? null : this.#chatOf(id);
    void this.#chat?.load().then(() => this.#forgetSent());
    this.#drawNow(); // What is typed from here on belongs to what is open now.
    this.#composer.focus();
  }

  /** @param {string} id Empty for a new conversation. */
  #goTo(id) {
    this.#rail.close();
    location.hash = hrefOf(id);
    this.#open();
  }

  /** From a conversation that is no more to a new one, with what was written. */
  #leave() {
    if (this.#chat) this.#drafts.rescue(this.#chat.id);
    this.#goTo("");
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
    this.#problem = null;
    await sendDraft(draft, chat, {
      sessions: this.#sessions,
      change: () => this.#draw(),
      accepted: (turn, { content, whenBusy }) => {
        // The person may have looked at another conversation and come back.
        if (this.#chat?.id !== chat.id) return;
        this.#conversation.follow();
        this.#chat.accept(turn, content, whenBusy);
      },
    });
  }

  /** Gives the new conversation its id. @param {Draft} draft */
  #begin(draft) {
    const chat = this.#chatOf(crypto.randomUUID());
    this.#chat = chat;
    this.#drafts.adopt(draft, chat.id);
    this.#sessions.put(chat.id, { isNew: true });
    history.pushState(null, "", hrefOf(chat.id));
    return chat;
  }

  async #regenerate() {
    const chat = this.#chat;
    if (!chat || chat.isBusy || this.#isAskingAgain) return;
    this.#isAskingAgain = true;
    const body = JSON.stringify({ regenerate: true, ...placeInTime() });
    const turn = { key: crypto.randomUUID(), body };
    const { signal } = new AbortController();
    await this.#attempt(deliver(chat.id, turn, { signal, onWait: (error) => this.#fail(error) }));
    this.#isAskingAgain = false;
    chat.listen();
    this.#conversation.follow();
  }

  /** @param {string} id */
  async #clear(id) {
    if ((await this.#list.clear(id)) && this.#chat?.id === id) this.#chat.listen();
    this.#composer.focus();
  }

  /** @param {string} id */
  async #remove(id) {
    if (!(await this.#list.remove(id))) return;
    this.#drafts.forget(id);
    if (this.#chat?.id === id) this.#goTo(this.#sessions.list()[0]?.id ?? "");
    else this.#composer.focus();
  }

  /** Shows what went wrong, or takes away what went wrong before. @param {Promise<void> | undefined} action */
  async #attempt(action) {
    try {
      await action;
      this.#problem = null;
      this.#draw();
    } catch (error) {
      this.#failHere(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Something went wrong with the open conversation. @param {Error} error */
  #failHere(error) {
    if (!isGone(error) || !this.#chat) return this.#fail(error);
    this.#chat.lose(error);
    this.#draw();
  }

  /** @param {Error} error */
  #fail(error) {
    this.#problem = error;
    this.#draw();
  }

  /** A key that is not known any more is asked for at once; without one, only when something is done. @param {Error} error */
  #refuse(error) {
    if (storedKey() !== "") this.#signIn.ask(error);
  }

  /** The person answers the notice. */
  #cancel() {
    const { delivery } = this.#draft;
    if ("abort" in delivery) delivery.abort.abort();
    else if (delivery.state === "refused") this.#draft.delivery = { state: "idle" };
    else if (!this.#problem && this.#chat?.problem) void this.#chat.retry();
    this.#problem = null;
    this.#draw();
  }

  /** Does again what the server refused without a key. */
  #signedIn() {
    this.#problem = null;
    if (this.#chat?.problem) void this.#chat.retry();
    if (this.#draft.delivery.state === "refused") void this.#send(this.#draft);
    void this.#list.refresh();
    this.#panels.refresh();
    this.#draw();
  }

  #wake() {
    void this.#list.refresh();
    if (this.#chat?.problem) void this.#chat.retry();
    else this.#chat?.wake();
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
    const draft = this.#draft;
    const absence = this.#absence();
    const title = (chat && this.#sessions.find(chat.id)?.title) || "New conversation";
    const approvals = chat?.approvals.length ?? 0;
    const others = this.#sessions.waitingBeside(chat?.id ?? null);
    const isAbsent = absence !== null;
    const waiting = approvals + others.length;
    renderHead({ chat, title, waiting, isAbsent, isSending: draft.isOnItsWay });
    this.#rail.render({ current: chat?.id ?? null, approvals, isBusy: chat?.isBusy ?? false });
    this.#gone.render(absence, !draft.isEmpty);
    if (chat) this.#conversation.render(chat.transcript);
    const problem = this.#problem ?? (isAbsent ? null : (chat?.problem ?? null));
    const work = chat ? workOf(chat.transcript, questionsOf(chat.transcript)) : "nothing";
    this.#composer.render(draft, { work, problem, canRetry: !this.#problem });
    this.#permissions.render();
    this.#connection.render(chat);
    this.#signIn.render();
    this.#panels.follow(chat);
    const error = draft.delivery.state === "refused" ? draft.delivery.error : problem;
    if (error instanceof ApiError && error.status === 401) this.#signIn.ask(error);
  }

  /** @returns {import('./gone.js').Absence | null} */
  #absence() {
    if (this.#list.isAgentMissing) return "agent";
    if (opened() === "nothing") return "nothing";
    const chat = this.#chat;
    if (chat?.isGone) return "deleted";
    const isBegun = this.#draft.isOnItsWay || this.#sessions.find(chat?.id ?? "")?.isNew;
    return chat?.isMissing && !isBegun ? "missing" : null;
  }
}

new Page().start();
