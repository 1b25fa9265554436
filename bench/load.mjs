// `npm run load`: how many messages are accepted while a model takes its time, how many turns with two tool calls are
// done, and what happens at three times as many as promised. On 127.0.0.1, against a mock provider; ends by itself after
// about a minute, with a failure when a figure is missed.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "./build.mjs";
import { now, sleep } from "./clock.mjs";
import { launch, startMock, waitUntilReady } from "./server.mjs";
import { median } from "./statistics.mjs";
import { ownTargets } from "./targets.mjs";

const TIME_LIMIT_MS = 4 * 60_000;
/** Messages a second that are accepted while the model takes 5 s: some begin a session, the others wait in line. */
const ACCEPTS = { atLeast: 300, sessions: 500, each: 3, beside: 64 };
/** Turns a second of two tool calls each, with a model that answers at once. */
const TURNS = { atLeast: 80, sessions: 32, each: 12 };
/** Three times as many are sent, for so long, in sessions of which each may have some waiting. */
const FLOOD = { perSecond: 3 * TURNS.atLeast, forMs: 5_000, sessions: 240, recoversInMs: 10_000 };

/** In memory where the system offers that: local workerd waits for the disk at each commit, which is no part of this. */
const place = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const directory = mkdtempSync(join(place, "carrel-load-"));
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
setTimeout(() => {
  console.error("The load test was given up: it took too long.");
  process.exit(1);
}, TIME_LIMIT_MS).unref();

const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 512 });
const [carrel] = ownTargets(build(directory));
const mock = await startMock();
let server;

const rows = [
  ...(await onFreshServer(accepts)),
  ...(await onFreshServer(turns)),
  ...(await onFreshServer(flood)),
];
for (const { what, measured, target, isMet } of rows)
  console.log(`${isMet ? "✓" : "✗"} ${what}: ${measured} (${target})`);
process.exit(rows.every(({ isMet }) => isMet) ? 0 : 1);

/** What one experiment leaves behind is not measured by the next. */
async function onFreshServer(measure) {
  server = await launch(carrel, { mock, directory: join(directory, "carrel") });
  await waitUntilReady(server);
  await inTurns(16, 8, (no) => send(`warm-${no}`, `ZQtwice:warm${no}:10:0;`, true));
  const rows = await measure();
  await server.stop();
  return [rows].flat();
}

/** To a model that takes 5 s for its answer. */
async function accepts() {
  const startedAt = now();
  const count = ACCEPTS.sessions * ACCEPTS.each;
  const statuses = await inTurns(count, ACCEPTS.beside, (no) =>
    send(`slow-${no % ACCEPTS.sessions}`, `ZQtext:slow${no}:2:2500;`, false),
  );
  const perSecond = (count / (now() - startedAt)) * 1_000;
  const accepted = statuses.filter(({ status }) => status === 202).length;
  const ended = await whenAllEnded(ACCEPTS.sessions, (no) => `slow-${no}`, 60_000);
  return {
    what: "accepts a second, model of 5 s",
    measured: `${perSecond.toFixed(0)}, ${accepted} of ${count} accepted, ${ended} of ${ACCEPTS.sessions} sessions at rest`,
    target: `at least ${ACCEPTS.atLeast}, all`,
    isMet: perSecond >= ACCEPTS.atLeast && accepted === count && ended === ACCEPTS.sessions,
  };
}

async function turns() {
  const startedAt = now();
  const statuses = await inTurns(TURNS.sessions, TURNS.sessions, async (no) => {
    const seen = [];
    for (let turn = 0; turn < TURNS.each; turn++)
      seen.push(await send(`two-${no}`, `ZQtwice:two${no}x${turn}:10:0;`, true));
    return seen;
  });
  const perSecond = ((TURNS.sessions * TURNS.each) / (now() - startedAt)) * 1_000;
  const whole = statuses.flat().filter(({ isCompleted }) => isCompleted).length;
  return {
    what: "two-tool turns a second, model of 0 s",
    measured: `${perSecond.toFixed(0)}, ${whole} of ${TURNS.sessions * TURNS.each} completed`,
    target: `at least ${TURNS.atLeast}, all`,
    isMet: perSecond >= TURNS.atLeast && whole === TURNS.sessions * TURNS.each,
  };
}

/** Sends at a fixed rate, whatever comes back. */
async function flood() {
  const startedAt = now();
  const sent = [];
  const count = (FLOOD.perSecond * FLOOD.forMs) / 1_000;
  for (let no = 0; no < count; no++) {
    const dueAt = startedAt + (no * 1_000) / FLOOD.perSecond;
    if (dueAt > now()) await sleep(dueAt - now());
    const session = `flood-${no % FLOOD.sessions}`;
    sent.push(send(session, `ZQtwice:flood${no}:10:0;`, false).catch(() => ({ status: 0 })));
  }
  const overAt = now();
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  const left = FLOOD.recoversInMs - (now() - overAt);
  const ended = await whenAllEnded(FLOOD.sessions, (no) => `flood-${no}`, Math.max(left, 1));
  const recoveredMs = now() - overAt;
  const counts = [...new Set(statuses)]
    .map((status) => `${statuses.filter((other) => other === status).length} × ${status}`)
    .join(", ");
  const after = [];
  for (let no = 0; no < 9; no++) {
    const at = now();
    await send(`after-${no}`, `ZQtwice:after${no}:10:0;`, true);
    after.push(now() - at);
  }
  return [
    {
      what: `answers at ${FLOOD.perSecond} turns a second for ${FLOOD.forMs / 1_000} s`,
      measured: counts,
      target: "only 2xx, 429, 503",
      isMet: statuses.every((status) => [200, 202, 429, 503].includes(status)),
    },
    {
      what: "recovery after that",
      measured: `${ended} of ${FLOOD.sessions} sessions at rest after ${(recoveredMs / 1_000).toFixed(1)} s; a turn then takes ${median(after).toFixed(0)} ms`,
      target: `all within ${FLOOD.recoversInMs / 1_000} s`,
      isMet: ended === FLOOD.sessions && recoveredMs <= FLOOD.recoversInMs,
    },
  ];
}

/** Sends a message; waits for its acceptance, or follows its turn. */
function send(session, message, isFollowed) {
  const body = JSON.stringify({ message });
  const accept = isFollowed ? { accept: "text/event-stream" } : {};
  return ask("POST", `${pathOf(session)}/turns`, accept, body).then(({ status, text }) => ({
    status,
    isCompleted: text.includes('"outcome":"completed"'),
  }));
}

/** Looks at the sessions until none has a turn left, or the time is over. How many had none. */
async function whenAllEnded(count, nameOf, withinMs) {
  const startedAt = now();
  const busy = new Set(Array.from({ length: count }, (_, no) => no));
  while (busy.size > 0 && now() - startedAt < withinMs) {
    await inTurns([...busy], 8, async (no) => {
      const { status, text } = await ask("GET", `${pathOf(nameOf(no))}?limit=1`, {});
      if (status === 200 && JSON.parse(text).status.turns.length === 0) busy.delete(no);
    });
    // Looking costs the server too.
    if (busy.size > 0) await sleep(500);
  }
  return count - busy.size;
}

/** Does something for each number (or item), so many beside each other. The results in order. */
async function inTurns(what, beside, work) {
  const items = typeof what === "number" ? Array.from({ length: what }, (_, no) => no) : what;
  const results = [];
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at]);
    }
  };
  await Promise.all(Array.from({ length: beside }, lane));
  return results;
}

function pathOf(session) {
  return `/v1/agents/bench/sessions/${session}`;
}

/** Sessions belong to a hundred people. */
function userOf(path) {
  return `u${Number(/-(\d+)/.exec(path)?.[1] ?? 0) % 100}`;
}

function ask(method, path, headers, body) {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port: server.target.port,
      path,
      method,
      agent,
      headers: {
        "x-carrel-user": userOf(path),
        ...headers,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
    };
    const request = http.request(options, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("end", () =>
        resolve({ status: response.statusCode, text: Buffer.concat(parts).toString() }),
      );
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}
