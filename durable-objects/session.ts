import { DurableObject } from "cloudflare:workers";
import type { Env } from "../src/env.ts";
import type { Deployment } from "../src/harness.ts";
import { parseSessionKey, sessionKey } from "../src/shared/ids.ts";
import { noPoint, type Point } from "../src/shared/point.ts";
import {
  type AcceptRequest,
  type CallAnswer,
  type PermissionsChange,
  type SessionApi,
  type TailRequest,
} from "../src/shared/session-api.ts";
import type { SessionAddress } from "../src/shared/session-address.ts";
import type { BeginRequest, Report, Rights } from "../src/shared/subagents.ts";
import { SessionHost } from "../src/turn/host.ts";
import type { Session } from "../src/turn/session.ts";
import { answered } from "./answered.ts";
import { eventStream, streamed } from "./event-stream.ts";
import { sessionPlatform } from "./session-platform.ts";

/** The class of session objects for a deployment: one object a session. It owns time, order and storage, and decides nothing. */
export function sessionObject(deployment: Deployment) {
  return class extends DurableObject<Env> implements SessionApi {
    readonly #address: SessionAddress;
    readonly #host: SessionHost;
    /** Free in production; crash tests end the object here. */
    protected point: Point = noPoint;

    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, env);
      this.#address = parseSessionKey(ctx.id.name);
      const platform = sessionPlatform(ctx, env, this.#address, (name) => this.point(name));
      this.#host = new SessionHost(platform, (role) =>
        deployment.harness(this.#address.agent, env, role),
      );
    }

    get #session(): Session {
      return this.#host.session;
    }

    accept(address: SessionAddress, request: AcceptRequest) {
      return this.#listed("accept", address, () => this.#session.acceptWithAnswers(request));
    }

    acceptAndTail(address: SessionAddress, request: AcceptRequest) {
      return this.#answer("acceptAndTail", address, async () => {
        const accepted = await this.#session.acceptWithAnswers(request);
        const run = this.#session.tail({ until: accepted.turn.turn });
        await this.#session.whenRegistered();
        return { ...accepted, events: eventStream(this.ctx, run) };
      });
    }

    answer(address: SessionAddress, answers: readonly CallAnswer[], by: string) {
      return this.#answer("answer", address, () => this.#session.answer(answers, by));
    }

    answerAndTail(
      address: SessionAddress,
      answers: readonly CallAnswer[],
      by: string,
      after?: string,
    ) {
      return this.#answer("answerAndTail", address, async () => {
        // A cursor that is none is refused before anything is answered.
        if (after !== undefined) this.#session.tail({ after });
        const answered = await this.#session.answer(answers, by);
        const until = answered.turn.turn;
        const run = this.#session.tail(after === undefined ? { until } : { until, after });
        return { ...answered, events: eventStream(this.ctx, run) };
      });
    }

    openTail(address: SessionAddress, request: TailRequest) {
      return this.#answer("openTail", address, () => ({
        events: eventStream(this.ctx, this.#session.tail(request)),
      }));
    }

    /** One of the methods that stream, with the stream as a body, which costs less than one over RPC. */
    override fetch(request: Request): Promise<Response> {
      return streamed(request, this);
    }

    stop(address: SessionAddress, turn?: string) {
      return this.#answer("stop", address, async () => {
        const stopped = this.#session.stop(turn);
        await this.#session.family.whenTold();
        return { turn: stopped };
      });
    }

    begin(address: SessionAddress, request: BeginRequest) {
      return this.#answer("begin", address, () =>
        this.#host.adopt(request.role).family.begin(request),
      );
    }

    govern(address: SessionAddress, rights: Rights) {
      return this.#answer("govern", address, () => this.#session.family.govern(rights));
    }

    report(address: SessionAddress, report: Report) {
      return this.#answer("report", address, () => this.#session.family.report(report));
    }

    tasks(address: SessionAddress) {
      return this.#answer("tasks", address, () => ({ tasks: this.#session.family.tasks() }));
    }

    task(address: SessionAddress, id: string) {
      return this.#answer("task", address, () => ({ task: this.#session.family.task(id) }));
    }

    cancelTask(address: SessionAddress, id: string) {
      return this.#answer("cancelTask", address, async () => ({
        task: await this.#session.family.cancel(id),
      }));
    }

    history(address: SessionAddress, page: { readonly before?: number; readonly limit: number }) {
      return this.#answer("history", address, () => ({ page: this.#session.history(page) }));
    }

    state(address: SessionAddress) {
      return this.#answer("state", address, () => ({ state: this.#session.state() as unknown }));
    }

    current(address: SessionAddress) {
      return this.#answer("current", address, () => ({ turn: this.#session.current() }));
    }

    permissions(address: SessionAddress) {
      const read = () => ({ permissions: this.#session.permissions() });
      return this.#answer("permissions", address, read);
    }

    setPermissions(address: SessionAddress, change: PermissionsChange, by: string) {
      const set = () => ({ permissions: this.#session.setPermissions(change, by) });
      return this.#listed("setPermissions", address, set, "whenTold");
    }

    work(address: SessionAddress) {
      return this.#answer("work", address, () => ({ work: this.#session.work() }));
    }

    setPlan(address: SessionAddress, active: boolean, by: string) {
      const set = () => ({ work: this.#session.setPlan(active, by) });
      return this.#listed("setPlan", address, set, "whenTold");
    }

    rename(address: SessionAddress, title: string) {
      return this.#answer("rename", address, () => ({ title: this.#session.rename(title) }));
    }

    clear(address: SessionAddress, by: string) {
      return this.#answer("clear", address, () => this.#session.clear(by));
    }

    remove(address: SessionAddress) {
      return this.#answer("remove", address, async () => ({
        isComplete: await this.#session.remove(),
      }));
    }

    importState(address: SessionAddress, state: unknown, by: string) {
      return this.#listed("importState", address, () => ({
        messages: this.#session.importState(state, by),
      }));
    }

    override alarm(): Promise<void> {
      return this.#session.alarm();
    }

    /** `#answer`, once the registry knows that the session exists; with `whenTold`, its subagents too what they are to know. */
    #listed<Result extends object>(
      name: string,
      address: SessionAddress,
      work: () => Result | Promise<Result>,
      when: "whenRegistered" | "whenTold" = "whenRegistered",
    ) {
      return this.#answer(name, address, async () => {
        const result = await work();
        await this.#session[when]();
        return result;
      });
    }

    #answer<Result extends object | void>(
      name: string,
      address: SessionAddress,
      work: () => Result | Promise<Result>,
    ) {
      const isMeant = sessionKey(address) === sessionKey(this.#address);
      return answered({ name, isMeant, point: (at) => this.point(at) }, work);
    }
  };
}
