import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { approveTrusted } from "../../../src/skills/gates/approve-trusted.ts";
import { applyGate } from "../../../src/skills/gates/apply-gate.ts";
import { notifyByWebhook } from "../../../src/skills/gates/notify-by-webhook.ts";
import { rejectAll } from "../../../src/skills/gates/reject-all.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { WebhookServer } from "../../support/webhook-server.ts";
import { candidate, GateDesk } from "./candidates.ts";

const { run } = new GateDesk();

describe("rejectAll", () => {
  it("rejects every draft with a reason", async () => {
    expect(await rejectAll().decide(candidate(), run)).toMatchObject({ kind: "reject" });
    expect(await rejectAll("Not here.").decide(candidate(), run)).toEqual({
      kind: "reject",
      reason: "Not here.",
    });
  });
});

describe("approveTrusted", () => {
  const kindOf = async (
    gate: ReturnType<typeof approveTrusted>,
    ...of: Parameters<typeof candidate>
  ) => (await gate.decide(candidate(...of), run)).kind;

  it("[K9] approves what is trusted, safe and stands against nothing", async () => {
    const gate = approveTrusted();
    expect(await kindOf(gate)).toBe("approve");
    expect(await kindOf(gate, { trust: "builtin" })).toBe("approve");
    expect(await kindOf(gate, { trust: "community" })).toBe("ask");
    expect(await kindOf(gate, {}, { scan: { verdict: "caution", findings: [] } })).toBe("ask");
    expect(await kindOf(gate, {}, { conflict: "There is another one." })).toBe("ask");
  });

  it("[K5] always asks about what the agent wrote", async () => {
    const gate = approveTrusted({ trust: ["agent", "trusted"], verdicts: ["safe", "caution"] });
    expect(await kindOf(gate, { origin: "agent", trust: "agent" })).toBe("ask");
  });

  it("approves what it is told to", async () => {
    const gate = approveTrusted({ trust: ["community"], verdicts: ["safe", "caution"] });
    const caution = { scan: { verdict: "caution", findings: [] } } as const;
    expect(await kindOf(gate, { trust: "community" }, caution)).toBe("approve");
    expect(await kindOf(gate, { trust: "trusted" })).toBe("ask");
  });
});

describe("notifyByWebhook", () => {
  const SECRET = "a secret of some length";
  const server = new WebhookServer();
  const clock = new ManualClock();

  beforeEach(async () => {
    await server.start();
    server.received.length = 0;
    server.answer = (response) => response.writeHead(204).end();
  });

  afterEach(() => server.close());

  const told = (variables: Readonly<Record<string, string>> = {}) => {
    const all = new Map(
      Object.entries({
        APPROVAL_WEBHOOK_URL: server.url,
        APPROVAL_WEBHOOK_SECRET: SECRET,
        ...variables,
      }),
    );
    return { ...run, binding: (name: string) => all.get(name) };
  };

  it("tells of a draft, signed and with a link, and asks a person", async () => {
    const context = told({ PUBLIC_URL: "https://carrel.example/desk/" });
    const decision = await notifyByWebhook({ clock }).decide(candidate(), context);
    expect(decision).toEqual({ kind: "ask" });
    const [{ headers, body } = { headers: {}, body: "" }] = server.received;
    expect(JSON.parse(body)).toEqual({
      type: "skills.waiting",
      timestamp: new Date(candidate().draft.changedAt).toISOString(),
      data: {
        agent: "main",
        user: "ann",
        name: "pdf",
        hash: "a".repeat(64),
        verdict: "safe",
        link: "https://carrel.example/desk/?agent=main&skill=pdf",
      },
    });
    const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
    const signature = createHmac("sha256", SECRET).update(signed).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${signature}`);
  });

  it("tells of the same files of a name under one id, and of all else under others", async () => {
    const gate = notifyByWebhook({ clock });
    await gate.decide(candidate(), told());
    await gate.decide(candidate({ changedAt: 1_764_500_009_000 }), told());
    await gate.decide(candidate({ hash: "b".repeat(64) }), told());
    await gate.decide(candidate({ name: "docx" }), told());
    await gate.decide(candidate(), { ...told(), viewer: { ...run.viewer, user: "ben" } });
    const [first, again, ...others] = server.received.map(({ headers }) => headers["webhook-id"]);
    expect(again).toBe(first);
    expect(new Set([first, ...others]).size).toBe(4);
  });

  it("only asks where there is no address", async () => {
    const decision = await notifyByWebhook().decide(
      candidate(),
      told({ APPROVAL_WEBHOOK_URL: "" }),
    );
    expect([decision, server.received]).toEqual([{ kind: "ask" }, []]);
  });

  it("[R4] leaves the draft to a person where nobody answers, and the log says so", async () => {
    const desk = new GateDesk();
    server.answer = (response) => response.writeHead(503).end();
    const context = { ...desk.run, binding: told().binding };
    const gated = await applyGate(notifyByWebhook({ clock }), desk.skills, candidate(), context);
    expect(gated).toEqual({ kind: "waits" });
    expect(desk.log.join()).toContain("the webhook answered 503");
  });
});
