import { describe, expect, it } from "vitest";
import type { CarrelError, ErrorCode } from "../../src/shared/errors.ts";
import type { AcceptRequest, TurnInput } from "../../src/shared/session-api.ts";
import { SessionLab } from "./session-lab.ts";

const message = (text: string): TurnInput => ({
  kind: "message",
  content: [{ type: "text", text }],
});
const request = (key: string, more: Partial<AcceptRequest> = {}): AcceptRequest => ({
  key,
  digest: key,
  input: message(key),
  ...more,
});

const code = (of: ErrorCode) => expect.objectContaining<Partial<CarrelError>>({ code: of });

/** A session with a turn that goes on until it is stopped. */
async function busyLab(): Promise<SessionLab> {
  const lab = new SessionLab();
  lab.say("busy", [{ hang: true }]);
  await lab.settle();
  return lab;
}

const users = (lab: SessionLab): string[] =>
  lab.entries().flatMap((entry) => (entry.kind === "user" ? [entry.turn] : []));

describe("a message", () => {
  it("[T1] is stored, with its job and an alarm, when its acceptance returns", () => {
    const lab = new SessionLab();
    const { turn, isNew } = lab.session.accept(request("a"));
    expect({ turn, isNew }).toEqual({
      turn: { turn: "a", reply: "a.reply", state: "running", start: "0.0" },
      isNew: true,
    });
    expect(lab.story()).toBe("user");
    expect(lab.sql.all("SELECT id, kind FROM job WHERE kind <> 'register'")).toEqual([
      { id: "turn:a", kind: "drive" },
    ]);
    expect(lab.alarm).toBe(30_000);
  });

  it("[T3] with the same key and body is the same turn, while it is open and long after", async () => {
    const lab = await busyLab();
    const again = () => lab.session.accept(request("q"));
    expect(again()).toMatchObject({
      isNew: true,
      turn: { turn: "q", state: "queued", start: null },
    });
    expect(again()).toMatchObject({
      isNew: false,
      turn: { turn: "q", state: "queued", start: null },
    });
    lab.session.stop("busy");
    await lab.settle();
    expect(again()).toMatchObject({ isNew: false, turn: { turn: "q", state: "completed" } });
    lab.restart();
    expect(again()).toMatchObject({ isNew: false, turn: { turn: "q", state: "completed" } });
    expect(users(lab)).toEqual(["busy", "q"]);
  });

  it("[T3] with a used key and another body is refused, in every state of the turn", async () => {
    const lab = await busyLab();
    const other = (key: string) => () => lab.session.accept(request(key, { digest: "other" }));
    lab.session.accept(request("q"));
    expect(other("busy")).toThrow(code("key_reused"));
    expect(other("q")).toThrow(code("key_reused"));
    lab.session.stop("q");
    lab.session.stop();
    await lab.settle();
    for (const key of ["busy", "q"]) expect(other(key)).toThrow(code("key_reused"));
    expect(users(lab)).toEqual(["busy", "q"]);
  });

  it("[T4] waits behind the turn that runs, and all run in order of acceptance", async () => {
    const lab = await busyLab();
    for (const key of ["c", "a", "b"]) lab.session.accept(request(key));
    await lab.settle();
    expect(users(lab)).toEqual(["busy"]);
    lab.restart();
    lab.session.stop();
    await lab.settle();
    expect(users(lab)).toEqual(["busy", "c", "a", "b"]);
    expect(lab.story("b")).toBe("user step:stop end:completed");
  });

  it("is refused when 20 wait already, leaves nothing behind, and is taken when one has ended", async () => {
    const lab = await busyLab();
    for (let n = 0; n < 20; n++) lab.session.accept(request(`q${n}`));
    const more = () => lab.session.accept(request("more"));
    expect(more).toThrow(code("too_many"));
    expect(lab.session.accept(request("q3"))).toMatchObject({ isNew: false });
    expect(lab.sql.all("SELECT count(*) AS n FROM turn")).toEqual([{ n: 21 }]);
    lab.session.stop();
    await lab.settle();
    expect(more()).toMatchObject({ isNew: true });
  });

  it("[T13] that claims a history this session did not make is refused whole", async () => {
    const lab = new SessionLab();
    lab.say("a", "hi");
    await lab.settle();
    const claiming =
      (...claimed: string[]) =>
      () =>
        lab.session.accept(request("b", { claimed }));
    expect(claiming("a", "a.reply", "forged.reply")).toThrow(code("invalid"));
    expect(users(lab)).toEqual(["a"]);
    expect(claiming("a", "a.reply")()).toMatchObject({ isNew: true });
  });

  it("that is too large for a row is refused and leaves nothing behind", () => {
    const lab = new SessionLab();
    const input = message("x".repeat(2_000_000));
    expect(() => lab.session.accept(request("a", { input }))).toThrow(code("too_large"));
    expect(lab.sql.all("SELECT * FROM turn")).toEqual([]);
    expect(lab.session.current()).toBeNull();
  });

  it("[T2] that is too large for a row is refused also when it would wait in line", async () => {
    const lab = await busyLab();
    const input = message("\u0001".repeat(400_000));
    expect(() => lab.session.accept(request("b", { input }))).toThrow(code("too_large"));
    expect(lab.session.accept(request("c"))).toMatchObject({ isNew: true });
    lab.session.stop();
    await lab.settle();
    expect(lab.story("c")).toMatch(/^user /);
  });
});

describe("asking for another answer", () => {
  const again: TurnInput = { kind: "regenerate" };

  it("answers the newest message in the place of the answer before", async () => {
    const lab = new SessionLab();
    lab.say("a", "one");
    await lab.settle();
    lab.say("b", "two");
    await lab.settle();
    lab.say("c", again);
    await lab.settle();
    const turns = lab.session
      .history({ limit: 10 })
      .messages.map(({ turn, role }) => `${turn} ${role}`);
    expect(turns).toEqual(["a user", "a assistant", "c user", "c assistant"]);
    const asked = lab.witness.requests.at(-1)?.messages.map(({ role }) => role);
    expect(asked).toEqual(["user", "assistant", "user"]);
    lab.say("d", { ...again, reply: "c.reply" });
    await lab.settle();
    expect(lab.session.history({ limit: 10 }).messages.map(({ turn }) => turn)).toEqual([
      "a",
      "a",
      "d",
      "d",
    ]);
  });

  it("is refused while a turn runs, where there is none, and of any but the newest", async () => {
    const busy = await busyLab();
    expect(() => busy.say("x", again)).toThrow(code("conflict"));
    expect(() => new SessionLab().say("x", again)).toThrow(code("not_found"));
    const lab = new SessionLab();
    lab.say("a", "one");
    await lab.settle();
    lab.say("b", "two");
    await lab.settle();
    expect(() => lab.say("x", { ...again, reply: "a.reply" })).toThrow(code("invalid"));
    expect(users(lab)).toEqual(["a", "b"]);
  });
});
