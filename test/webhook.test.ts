import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Env } from "../src/env.ts";
import { createDeployment } from "../src/harness.ts";
import { createOfflineModel } from "../src/model/offline/offline-model.ts";
import { defaultPermissions } from "../src/permissions/config.ts";
import type { SessionNews } from "../src/shared/registry-api.ts";
import type { Notice } from "../src/turn/harness.ts";
import { createWebhook } from "../src/webhook.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { type Received, WebhookServer } from "./support/webhook-server.ts";
import { OutboxLab } from "./turn/outbox-lab.ts";
import { SessionLab } from "./turn/session-lab.ts";

const SECRET = "a secret of some length";

const env = (variables: Readonly<Record<string, string>>) => variables as unknown as Env;

const notice: Notice = {
  id: "v1/agents/main/users/ann/sessions/s1/notify:a:7",
  address: { agent: "main", user: "ann", session: "s1" },
  turn: "a",
  at: 1_764_500_000_000,
  calls: [{ call: "c1", name: "send_mail", what: "approval", expiresAt: 1_765_000_000_000 }],
};

/** As a receiver checks it, by the text of Standard Webhooks. */
function isSigned({ headers, body }: Received, key: string | Uint8Array): boolean {
  const text = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  const expected = createHmac("sha256", key).update(text).digest();
  const [version, signature = ""] = String(headers["webhook-signature"]).split(",");
  const given = Buffer.from(signature, "base64");
  return version === "v1" && given.length === 32 && timingSafeEqual(given, expected);
}

const server = new WebhookServer();
const clock = new ManualClock();

beforeEach(async () => {
  await server.start();
  server.received.length = 0;
  server.answer = (response) => response.writeHead(204).end();
});

afterEach(() => server.close());

function webhook(variables: Readonly<Record<string, string>> = {}) {
  const given = { APPROVAL_WEBHOOK_URL: server.url, APPROVAL_WEBHOOK_SECRET: SECRET, ...variables };
  const notify = createWebhook(env(given), { clock });
  if (!notify) throw new Error("there is no webhook");
  return notify;
}

describe("the webhook of approvals", () => {
  it("says which calls wait, signed so that the receiver can check it, with a link", async () => {
    await clock.pass(1_764_500_001_999 - clock.now());
    await webhook({ PUBLIC_URL: "https://carrel.example/desk/" })(notice);
    const [received] = server.received;
    if (!received) throw new Error("nothing came");
    expect(isSigned(received, SECRET)).toBe(true);
    expect(isSigned({ ...received, body: `${received.body} ` }, SECRET)).toBe(false);
    expect(received.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      "webhook-timestamp": "1764500001",
    });
    expect(JSON.parse(received.body)).toEqual({
      type: "calls.waiting",
      timestamp: "2025-11-30T10:53:20.000Z",
      data: {
        agent: "main",
        session: "s1",
        user: "ann",
        turn: "a",
        calls: [{ id: "c1", name: "send_mail", what: "approval", expiresAt: 1_765_000_000_000 }],
        link: "https://carrel.example/desk/?agent=main&session=s1",
      },
    });
  });

  it("signs with the bytes of a secret that is whsec_ and base64", async () => {
    const bytes = Buffer.alloc(24, 7);
    await webhook({ APPROVAL_WEBHOOK_SECRET: `whsec_${bytes.toString("base64")}` })(notice);
    expect(server.received.map((received) => isSigned(received, bytes))).toEqual([true]);
  });

  it("has no link where nobody knows the address of this deployment", async () => {
    await webhook()(notice);
    expect(JSON.parse(server.received[0]?.body ?? "")).toMatchObject({ data: { link: null } });
  });

  it("sends a notice again under the same id, and another one under another", async () => {
    await webhook()(notice);
    await webhook()(notice);
    await webhook()({ ...notice, id: `${notice.id}0` });
    const ids = server.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[1]);
    expect(server.received[0]?.body).toBe(server.received[1]?.body);
  });

  it.each([200, 202, 204, 299, 410])("takes %i for an end", async (status) => {
    server.answer = (response) => response.writeHead(status).end();
    await expect(webhook()(notice)).resolves.toBeUndefined();
  });

  it.each([304, 400, 401, 404, 429, 500, 503])(
    "rejects with %i, so that it is sent again",
    async (status) => {
      server.answer = (response) => response.writeHead(status).end();
      await expect(webhook()(notice)).rejects.toThrow(`the webhook answered ${status}`);
    },
  );

  it("[X4] follows no redirect", async () => {
    server.answer = (response) => response.writeHead(307, { location: server.url }).end();
    await expect(webhook()(notice)).rejects.toThrow("redirects more often than allowed");
    expect(server.received).toHaveLength(1);
  });

  it("reads no answer, however long it is", async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    server.answer = (response) => {
      response.on("close", resolve);
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      response.on("drain", more);
      more();
    };
    await webhook()(notice);
    await closed;
  });

  it("gives up a receiver that does not answer in 10 s", async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    server.answer = () => resolve();
    const sent = webhook()(notice).catch((error: unknown) => String(error));
    await asked;
    await clock.pass(9_999);
    expect(clock.sleeping).toBe(1);
    await clock.pass(1);
    expect(await sent).toBe("Error: the webhook did not answer in 10 s");
  });

  it("says when nobody is there, and nothing of the address, which may hold a secret", async () => {
    const notify = webhook();
    await server.close();
    const failure: unknown = await notify(notice).catch((error: unknown) => error);
    expect(String(failure)).toBe("Error: the webhook did not answer");
    await server.start();
  });
});

describe("the variables of the webhook", () => {
  const create = (variables: Readonly<Record<string, string>>) => () =>
    createWebhook(env({ APPROVAL_WEBHOOK_SECRET: SECRET, ...variables }));

  it.each(["", "  "])("are not needed where there is no address: %j", (url) => {
    expect(createWebhook(env({}))).toBeNull();
    expect(createWebhook(env({ APPROVAL_WEBHOOK_URL: url, PUBLIC_URL: "x" }))).toBeNull();
  });

  it.each([
    "https://hooks.example/a?b=c",
    "https://10.0.0.7:8443/internal",
    "http://127.0.0.1:9000/",
    "http://127.1.2.3/",
    "http://localhost:9000",
    "http://[::1]:9000/",
  ])("may name %s", (url) => {
    expect(create({ APPROVAL_WEBHOOK_URL: url })).not.toThrow();
  });

  it.each([
    "hooks.example",
    "ftp://hooks.example/",
    "http://hooks.example/",
    "http://10.0.0.7/",
    "http://127.0.0.1.example/",
    "https://ann:secret@hooks.example/",
    "https://hooks.example/#a",
  ])("refuse the address %s by its name", (url) => {
    expect(create({ APPROVAL_WEBHOOK_URL: url })).toThrow(/^APPROVAL_WEBHOOK_URL must be an https/);
  });

  it.each(["", "fifteen letters", "whsec_", "whsec_AAAA", "whsec_not base64 at all, is it?"])(
    "refuse the secret %j by its name, and do not show it",
    (secret) => {
      const failing = create({
        APPROVAL_WEBHOOK_URL: "https://hooks.example/",
        APPROVAL_WEBHOOK_SECRET: secret,
      });
      expect(failing).toThrow(/^APPROVAL_WEBHOOK_SECRET must have at least 16 characters/);
      if (secret.length > 6) expect(failing).not.toThrow(secret);
    },
  );

  it.each(["carrel.example", "https://carrel.example/?a=b", "file:///a"])(
    "refuse %s as PUBLIC_URL",
    (url) => {
      const given = { APPROVAL_WEBHOOK_URL: "https://hooks.example/", PUBLIC_URL: url };
      expect(create(given)).toThrow(/^PUBLIC_URL must be/);
    },
  );
});

describe("a deployment", () => {
  const harness = (variables: Readonly<Record<string, string>>) =>
    createDeployment([{ id: "main", model: createOfflineModel() }]).harness("main", env(variables));

  it("tells of waiting calls where the variables say so, and refuses to run where they are wrong", () => {
    const APPROVAL_WEBHOOK_URL = "https://hooks.example/";
    expect(harness({}).notify).toBeNull();
    const given = { APPROVAL_WEBHOOK_URL, APPROVAL_WEBHOOK_SECRET: SECRET };
    expect(harness(given).notify).toBeInstanceOf(Function);
    expect(() => harness({ APPROVAL_WEBHOOK_URL })).toThrow("APPROVAL_WEBHOOK_SECRET");
  });
});

describe("calls that wait", () => {
  it("[R4] are told of until the receiver takes it, always under the same id, and never what they would do", async () => {
    const lab = new OutboxLab({ notify: webhook() });
    server.answer = (response) => response.writeHead(server.received.length < 3 ? 503 : 200).end();
    lab.say("a", "Send it, please.");
    lab.wait("a", "c1");
    lab.outbox.wake();
    await lab.outbox.run();
    while (lab.jobs().length > 0) {
      await lab.clock.pass(Math.max(0, (lab.alarm ?? 0) - lab.clock.now()));
      lab.alarm = null;
      await lab.outbox.run();
    }
    expect(server.received).toHaveLength(3);
    expect(new Set(server.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    for (const received of server.received) {
      expect(isSigned(received, SECRET)).toBe(true);
      expect(received.body).not.toContain("do not tell");
    }
    expect(lab.log.filter((line) => line.startsWith("warn job_failed"))).toHaveLength(2);
  });

  it("are told of no more where the receiver says that it is gone", async () => {
    const lab = new OutboxLab({ notify: webhook() });
    server.answer = (response) => response.writeHead(410).end();
    lab.say("a", "Send it, please.");
    lab.wait("a", "c1");
    lab.outbox.wake();
    await lab.outbox.run();
    expect([lab.jobs(), lab.log, server.received.length]).toEqual([[], [], 1]);
  });

  it("[R3] of a session are told while its turn waits, and then only its expiry is waited for", async () => {
    const lab = new SessionLab({ notify: webhook(), permissions: defaultPermissions });
    const told: SessionNews[] = [];
    lab.index = async (news) => void told.push(news);
    server.answer = (response) => response.writeHead(server.received.length < 2 ? 503 : 200).end();
    lab.say("a", [{ calls: [{ name: "unsafe_thing", input: "{}" }] }, { text: "done" }]);
    const refused = "SELECT id FROM job WHERE kind = 'notify' AND attempts = 1";
    await until(() => lab.sql.all(refused).length === 1);
    expect(lab.session.current()).toMatchObject({ turn: "a", state: "waiting" });
    expect(told).toMatchObject([{ isWaiting: true }]);
    const expiry = lab.clock.now() + defaultPermissions.approvalExpiresMs;
    const alarms: number[] = [];
    while (lab.alarm !== null && lab.alarm < expiry) {
      alarms.push(lab.alarm);
      const { alarm } = lab;
      await lab.clock.pass(alarm - lab.clock.now());
      lab.alarm = null;
      await lab.session.alarm();
    }
    expect(server.received).toHaveLength(2);
    expect(server.received.every((received) => isSigned(received, SECRET))).toBe(true);
    expect(JSON.parse(server.received[1]?.body ?? "")).toMatchObject({
      data: { turn: "a", calls: [{ name: "unsafe_thing", what: "approval", expiresAt: expiry }] },
    });
    // The object is left alone but for what stood before the turn waited.
    expect(alarms.length).toBeLessThan(5);
    expect(lab.alarm).toBe(expiry);
    expect(lab.sql.all("SELECT id FROM job WHERE kind <> 'drive'")).toEqual([]);
    lab.session.stop();
    await lab.settle();
    expect(told.at(-1)).toMatchObject({ isWaiting: false });
  });
});

/** Asks between turns of the event loop until it is so; the suite's own limit ends what never is. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
