import { CarrelError } from "../../src/shared/errors.ts";
import type { PointName } from "../../src/shared/point.ts";
import type { Harness } from "../../src/turn/harness.ts";
import { recoveryBounds } from "../../src/turn/recovery.ts";
import type { AcceptRequest, TurnView } from "../../src/shared/session-api.ts";
import type { Session } from "../../src/turn/session.ts";
import { Connection, type Run } from "./connection.ts";
import { latency, type Ground } from "./ground.ts";
import { Crashed, Instance, StorageFailed } from "./instance.ts";

/** The call may or may not have happened: its caller does not know. */
export class Unreachable extends Error {
  override name = "Unreachable";
}

type Work<Result> = Result | Promise<Result>;

/** Hosts the session's object: starts it when someone calls, fires its alarm, and lets it vanish. */
export class Host {
  readonly #ground: Ground;
  readonly #harnessOf: (instance: Instance) => Harness;
  #current: Instance | null = null;
  /** Every instance that may still run. */
  #living: Instance[] = [];
  #started = 0;
  /** How often a turn was taken over while the journal ended at `last`. */
  #claims = { last: 0, count: 0 };
  #alarmSeen: number | null = null;
  readonly #inAlarm = new Set<Instance>();
  /** Takes note of each crash and each takeover. */
  readonly #onCrash: () => void;

  constructor(ground: Ground, harnessOf: (instance: Instance) => Harness, onCrash: () => void) {
    this.#ground = ground;
    this.#harnessOf = harnessOf;
    this.#onCrash = onCrash;
  }

  /** Whether an alarm handler is at work: while it is, no alarm needs to stand. */
  get isInAlarm(): boolean {
    return this.#inAlarm.size > 0;
  }

  /** Calls the object over the network. Rejects with its `CarrelError`, or with `Unreachable` for everything else. */
  call<Result>(what: string, work: (session: Session) => Work<Result>): Promise<Result> {
    return this.#request(what, (instance) => work(instance.session));
  }

  /** The same for a call that opens a stream. */
  connect<Result>(
    what: string,
    work: (session: Session) => Work<{ readonly result: Result; readonly run: Run }>,
  ): Promise<{ readonly result: Result; readonly connection: Connection }> {
    return this.#request(what, (instance) => {
      const open = ({ result, run }: { readonly result: Result; readonly run: Run }) => ({
        result,
        connection: new Connection(this.#ground, instance, run),
      });
      const opened = work(instance.session);
      return opened instanceof Promise ? opened.then(open) : open(opened);
    });
  }

  #request<Result>(what: string, work: (instance: Instance) => Work<Result>): Promise<Result> {
    const { scheduler, faults, storage, trace } = this.#ground;
    return new Promise((resolve, reject) => {
      const after = (name: string, run: () => void) =>
        scheduler.later(latency(this.#ground), name, run);
      const lost = () => after(`${what} is unreachable`, () => reject(new Unreachable(what)));
      if (faults.strikes("lost call")) return lost();
      after(what, () => {
        const instance = this.#wake();
        if (!instance) return void lost();
        const answer = (tell: () => void) =>
          storage.say(
            instance,
            () => (faults.strikes("lost reply") ? lost() : after(`${what} is answered`, tell)),
            lost,
          );
        const refuse = (error: unknown) => answer(() => reject(this.#refusal(what, error)));
        const give = (result: Result) =>
          answer(() => (instance.isDead ? reject(new Unreachable(what)) : resolve(result)));
        serve(instance, work, give, refuse, lost);
        trace(() => `${instance.name}: served ${what}`);
      });
    });
  }

  /** What the caller hears of a failure. */
  #refusal(what: string, error: unknown): Error {
    if (error instanceof CarrelError) return error;
    if (!(error instanceof Crashed || error instanceof StorageFailed))
      this.#ground.violate(`${what} threw ${String(error)}`);
    return new Unreachable(what);
  }

  /** The object that takes calls now; `null` when it could not start. */
  #wake(): Instance | null {
    if (this.#current && !this.#current.isDead) return this.#current;
    const name = `object-${++this.#started}`;
    this.#ground.trace(() => `${name} starts`);
    try {
      this.#current = new Instance(this.#ground, name, this.#harnessOf, (instance, point) =>
        this.#onPoint(instance, point),
      );
    } catch (error) {
      if (!(error instanceof StorageFailed)) throw error;
      return null;
    }
    const instance = this.#current;
    this.#living.push(instance);
    // The platform cuts an old instance off; the test is that the new one's own claim does, from here on.
    if (this.#living.some(({ isStale }) => isStale)) {
      instance.isStarting = true;
      takeOver(instance.session);
      instance.isStarting = false;
    }
    return instance.isDead ? null : instance;
  }

  #onPoint(instance: Instance, point: PointName): void {
    const { faults } = this.#ground;
    this.#ground.trace(() => `${instance.name} at ${point}`);
    if (point === "commit:recover:before" && instance === this.#current) this.#countClaims();
    const isRecovery = point.startsWith("commit:claim") || point.startsWith("commit:recover");
    if (
      (isRecovery && faults.strikes("crash in recovery")) ||
      (point === "commit:recover:before" && faults.strikes("death by loading")) ||
      faults.strikes("crash at a point")
    ) {
      this.#ground.storage.lose();
      this.#kill(instance, point);
      throw new Crashed();
    }
    if (faults.strikes("crash after a commit")) instance.isDoomed = true;
  }

  /** T7: taking a turn over cannot fail for ever. */
  #countClaims(): void {
    const [{ last } = { last: 0 }] = this.#ground.storage.sql.all<{ last: number }>(
      "SELECT max(seq) AS last FROM journal",
    );
    const count = this.#claims.last === last ? this.#claims.count + 1 : 1;
    this.#claims = { last, count };
    if (count > recoveryBounds.strikes)
      this.#ground.violate(`[T7] the turn was taken over ${count} times in vain`);
  }

  /** After an event: what was written is durable, then what was said leaves. */
  flush(): void {
    const doomed = this.#living.filter((instance) => instance.isDoomed && !instance.isDead);
    this.#ground.storage.flush(new Set(doomed));
    for (const instance of doomed) this.#kill(instance, "its commit");
    const { alarm } = this.#ground.storage;
    if (alarm !== this.#alarmSeen) this.#expectAlarm();
  }

  /** Between events: what goes wrong by itself. */
  beat(): void {
    const { faults, scheduler, trace, random } = this.#ground;
    if (this.#living.length > 0 && faults.strikes("crash at an await"))
      this.#kill(random.pick(this.#living), "an await");
    if (this.#current && faults.strikes("stale instance")) {
      trace(() => `${this.#current?.name} is stale`);
      this.#current.isStale = true;
      const stale = this.#current;
      this.#current = null;
      this.#onCrash();
      scheduler.later(0, "another object takes over", () => this.#wake());
      scheduler.later(random.between(1_000, 200_000), "a stale object ends", () => {
        if (!stale.isDead) this.#kill(stale, "its end");
      });
    }
    if (faults.strikes("clock jump")) {
      scheduler.skew += random.pick([1_000, 40_000, 400_000, 7_200_000]);
      this.#expectAlarm();
    }
    if (this.#ground.storage.alarm !== null && faults.strikes("early alarm"))
      scheduler.later(0, "the alarm fires early", () => this.#fireAlarm());
  }

  /** Ends every instance, as a deploy does. */
  end(): void {
    for (const instance of this.#living) this.#kill(instance, "the end");
  }

  #kill(instance: Instance, where: string): void {
    const { trace, storage, scheduler } = this.#ground;
    trace(() => `${instance.name} dies at ${where}`);
    this.#living = this.#living.filter((other) => other !== instance);
    if (this.#current === instance) this.#current = null;
    instance.die();
    this.#onCrash();
    // An alarm that was being handled comes again.
    if (this.#inAlarm.delete(instance)) storage.alarmAgain(scheduler.wall + 2_000);
  }

  #expectAlarm(): void {
    const { storage, scheduler, faults } = this.#ground;
    this.#alarmSeen = storage.alarm;
    if (storage.alarm === null) return;
    const late = faults.strikes("late alarm") ? 400_000 : 0;
    scheduler.later(storage.alarm - scheduler.wall + late, "the alarm is due", () => {
      if (storage.alarm !== null && storage.alarm <= scheduler.wall) this.#fireAlarm();
    });
  }

  #fireAlarm(): void {
    const { storage, faults, scheduler, violate } = this.#ground;
    storage.alarm = null;
    this.#alarmSeen = null;
    const instance = this.#wake();
    if (!instance) return storage.alarmAgain(scheduler.wall + 2_000);
    this.#inAlarm.add(instance);
    instance.session.alarm().then(
      () => this.#inAlarm.delete(instance),
      (error: unknown) => {
        if (!instance.isDead) violate(`the alarm threw ${String(error)}`);
      },
    );
    if (faults.strikes("duplicate alarm"))
      scheduler.later(latency(this.#ground), "the alarm fires again", () => this.#fireAlarm());
  }
}

/** Runs the call; one that dies with its object while it waits is `lost`. */
function serve<Result>(
  instance: Instance,
  work: (instance: Instance) => Work<Result>,
  give: (result: Result) => void,
  refuse: (error: unknown) => void,
  lost: () => void,
): void {
  try {
    const result = work(instance);
    if (!(result instanceof Promise)) return give(result);
    if (instance.isDead) lost();
    instance.onDeath.add(lost);
    const over = () => instance.onDeath.delete(lost);
    result.then(
      (given) => over() && give(given),
      (error: unknown) => over() && refuse(error),
    );
  } catch (error) {
    refuse(error);
  }
}

/** Has the session notice what is unfinished; one that was deleted has nothing, and one may end while it looks. */
function takeOver(session: Session): void {
  try {
    session.current();
  } catch (error) {
    if (error instanceof Crashed || error instanceof StorageFailed) return;
    if (!(error instanceof CarrelError && error.code === "gone")) throw error;
  }
}

export type Accepted = { readonly turn: TurnView; readonly isNew: boolean };

/** As the object accepts: what exists is registered before its caller hears of it. Refuses at once. */
export function accept(session: Session, request: AcceptRequest): Promise<Accepted> {
  const accepted = session.accept(request);
  return session.whenRegistered().then(() => accepted);
}
