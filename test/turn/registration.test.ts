import { describe, expect, it } from "vitest";
import type { Session } from "../../src/turn/session.ts";
import { MAX_ATTEMPTS, parkedJobs } from "../../src/session/jobs.ts";
import { asking, AskingLab } from "./asking-lab.ts";
import { SessionLab } from "./session-lab.ts";

/** A lab whose registry can be down, and counts who tells it. */
function registeringLab() {
  const lab = new SessionLab();
  const registry = { told: 0, isDown: false };
  lab.register = async () => {
    registry.told++;
    if (registry.isDown) throw new Error("connection lost");
  };
  return { lab, registry };
}

const request = (key: string, timeZone?: string) => ({
  ...(timeZone === undefined ? {} : { timeZone }),
  key,
  digest: key,
  input: { kind: "message", content: [{ type: "text", text: "hi" }] } as const,
});

/** Accepts as the object does; what the caller hears, once it does. */
function post(session: Session, key: string, timeZone?: string): { heard: string | null } {
  const answer: { heard: string | null } = { heard: null };
  session.accept(request(key, timeZone));
  session.whenRegistered().then(
    () => (answer.heard = "accepted"),
    (error: unknown) => (answer.heard = (error as { code: string }).code),
  );
  return answer;
}

const jobs = (lab: SessionLab) =>
  lab.sql.all<{ id: string }>("SELECT id FROM job").map(({ id }) => id);

describe("a session's first message", () => {
  it("is answered only when the registry knows the session, while the model is asked already where it tells a zone", async () => {
    const { lab } = registeringLab();
    let open = () => {};
    lab.register = () => new Promise((resolve) => (open = resolve));
    const answer = post(lab.session, "a", "Europe/Berlin");
    await lab.settle();
    expect(lab.story("a")).toMatch(/end:completed$/);
    expect(answer.heard).toBeNull();
    open();
    await lab.settle();
    expect(answer.heard).toBe("accepted");
    expect(jobs(lab)).toEqual([]);
  });

  it("is where the registry is told, and nowhere else: not by later messages, objects or questions", async () => {
    const { lab, registry } = registeringLab();
    post(lab.session, "a");
    post(lab.session, "a");
    await lab.settle();
    for (const key of ["b", "c"]) {
      expect(post(lab.restart(), key)).toMatchObject({ heard: null });
      lab.session.history({ limit: 5 });
      await lab.settle();
    }
    while (await lab.fireAlarm());
    expect(registry.told).toBe(1);
    expect(lab.entries().filter(({ kind }) => kind === "end")).toHaveLength(3);
  });

  it("gets overloaded after three tries, and with the same key the same turn later", async () => {
    const { lab, registry } = registeringLab();
    registry.isDown = true;
    const first = post(lab.session, "a");
    await lab.clock.pass(1_000);
    expect([first.heard, registry.told]).toEqual(["overloaded", 3]);
    registry.isDown = false;
    const second = post(lab.session, "a");
    await lab.settle();
    expect(second.heard).toBe("accepted");
    expect(lab.story()).toMatch(/^user step:stop end:completed$/);
    expect(jobs(lab)).toEqual([]);
  });

  it("is tried together for all who wait", async () => {
    const { lab, registry } = registeringLab();
    registry.isDown = true;
    const answers = ["a", "b", "c"].map((key) => post(lab.session, key));
    await lab.clock.pass(1_000);
    expect(answers.map(({ heard }) => heard)).toEqual(Array(3).fill("overloaded"));
    expect(registry.told).toBe(3);
  });

  it("leaves a job, so that a crash before the registry knew is made good by the alarm", async () => {
    const { lab, registry } = registeringLab();
    lab.onPoint = (name) => {
      if (name === "commit:accept:after") throw new Error("crash");
    };
    expect(() => lab.session.accept(request("a"))).toThrow("crash");
    lab.onPoint = () => {};
    expect(jobs(lab)).toEqual(["register", "turn:a"]);
    lab.alarm ??= 30_000;
    lab.restart();
    await lab.fireAlarm();
    expect(registry.told).toBe(1);
    while (await lab.fireAlarm());
    expect(jobs(lab)).toEqual([]);
    expect(lab.story()).toMatch(/end:completed$/);
  });

  it("is registered by the job also while its turn goes on", async () => {
    const { lab, registry } = registeringLab();
    registry.isDown = true;
    lab.say("a", [{ hang: true }]);
    await lab.clock.pass(1_000);
    registry.isDown = false;
    await lab.fireAlarm();
    expect(lab.story()).toBe("user");
    expect(jobs(lab)).toEqual(["turn:a"]);
  });

  it("[R4] is tried by the job with backoff, then parked and visible; the next message tries again", async () => {
    const { lab, registry } = registeringLab();
    registry.isDown = true;
    post(lab.session, "a");
    await lab.clock.pass(1_000);
    while (await lab.fireAlarm());
    expect(registry.told).toBe(3 + MAX_ATTEMPTS);
    expect(parkedJobs(lab.sql).map(({ id }) => id)).toEqual(["register"]);
    expect(lab.log.filter((line) => line.startsWith("error registration_parked"))).toHaveLength(1);
    registry.isDown = false;
    const answer = post(lab.session, "b");
    await lab.settle();
    expect(answer.heard).toBe("accepted");
    expect(parkedJobs(lab.sql)).toEqual([]);
  });

  it("[R3] leaves no job that an object wrote which did not know that another had told the registry", async () => {
    const { lab } = registeringLab();
    const wire = Promise.withResolvers<void>();
    lab.register = () => wire.promise;
    post(lab.session, "a");
    const other = lab.restart();
    other.accept(request("b"));
    wire.resolve();
    await lab.settle();
    lab.sql.run("INSERT INTO job VALUES ('register', 'register', 0, 0, '') ON CONFLICT DO NOTHING");
    lab.restart();
    for (let fires = 0; await lab.fireAlarm(); fires++) expect(fires).toBeLessThan(5);
    expect(jobs(lab)).toEqual([]);
  });

  it("that is refused registers nothing", () => {
    const { lab, registry } = registeringLab();
    const input = { kind: "regenerate" } as const;
    expect(() => lab.session.accept({ key: "a", digest: "a", input })).toThrow("does not exist");
    expect(() => lab.session.accept({ ...request("b"), claimed: ["x"] })).toThrow("did not make");
    expect(registry.told).toBe(0);
    expect(jobs(lab)).toEqual([]);
  });
});

describe("a session that was only asked about", () => {
  it("has no tables, no alarm and no place in the registry", async () => {
    const { lab, registry } = registeringLab();
    const { session } = lab;
    expect(session.history({ limit: 5 })).toMatchObject({ messages: [], before: null });
    expect(session.state()).toMatchObject({ context: [] });
    expect(session.current()).toBeNull();
    expect(session.stop()).toBeNull();
    expect(() => session.stop("a")).toThrow("does not exist");
    expect(() => session.tail({ until: "a" })).toThrow("does not exist");
    expect(lab.listen().state).toBe("reading");
    await session.alarm();
    await lab.settle();
    expect(lab.sql.all("SELECT name FROM sqlite_schema")).toEqual([]);
    expect([lab.alarm, registry.told]).toEqual([null, 0]);
    lab.say("a", "hi");
    await lab.settle();
    expect(lab.story()).toBe("user step:stop end:completed");
  });
});

describe("news of a session that the registry does not know yet", () => {
  it.each(["is slow", "is down"] as const)("[T11] wait until it does, when it %s", async (how) => {
    const lab = new AskingLab();
    const told: boolean[] = [];
    const gate = Promise.withResolvers<void>();
    let [isKnown, isDown] = [false, how === "is down"];
    lab.register = async () => {
      if (isDown) throw new Error("connection lost");
      if (how === "is slow") await gate.promise;
      isKnown = true;
    };
    // As the registry does it: news of a session that it does not know change nothing.
    lab.index = async ({ isWaiting }) => void (isKnown && told.push(isWaiting));
    lab.say("t", asking("one"));
    await lab.settle();
    await lab.clock.pass(1_000);
    expect(told).toEqual([]);
    isDown = false;
    gate.resolve();
    await lab.settle();
    for (let n = 0; n < 5 && told.length === 0; n++) await lab.fireAlarm();
    expect(told).toEqual([true]);
    expect(jobs(lab)).toEqual(["turn:t"]);
  });
});
