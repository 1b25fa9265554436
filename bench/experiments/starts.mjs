import { now, sleep } from "../clock.mjs";
import { cpuOf, launch, waitUntilReady } from "../server.mjs";
import { Session } from "../session.mjs";
import { median, withMockTimes } from "../statistics.mjs";

const START_MS = 60_000;

/** Process start to the end of its first answer, on empty data; the targets take turns. */
export async function measureColdStarts(targets, { mock, directory, repeats }) {
  const seen = new Map(targets.map((target) => [target.name, []]));
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const target of targets) {
      const server = await launch(target, { mock, directory: `${directory}/cold-${target.name}` });
      try {
        const record = await firstAnswer(server, `cold-${repeat}`);
        seen.get(target.name).push(record.done - server.startedAt);
      } finally {
        await server.stop();
      }
    }
  }
  await mock.takeLog();
  return [...seen].map(([name, times]) => [name, median(times)]);
}

async function firstAnswer(server, sessionId) {
  for (;;) {
    try {
      const session = await new Session(server.target, "u1", sessionId).open();
      const record = await session.turn();
      session.close();
      return record;
    } catch (error) {
      if (server.hasExited() || now() - server.startedAt > START_MS) throw error;
      await sleep(1);
    }
  }
}

/** CPU from process start to the first answer of `/healthz`, without what an empty Worker takes; milliseconds. */
export async function measureStartCpu({ empty, product }, { mock, directory, repeats }) {
  const seen = { empty: [], product: [] };
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const target of [empty, product]) {
      const server = await launch(target, { mock, directory: `${directory}/start-${target.name}` });
      try {
        await waitUntilReady(server);
        seen[target.name].push(cpuOf(server.pid));
      } finally {
        await server.stop();
      }
    }
  }
  return { total: median(seen.product), own: median(seen.product) - median(seen.empty) };
}

/**
 * Time to the first token, over the mock, of a session with so many messages after its server was started again;
 * other sessions have warmed the code up. Opening a connection, where a target needs one, is part of it.
 */
export async function measureResume(target, { mock, directory, messages, repeats }) {
  const options = { mock, directory: `${directory}/resume-${target.name}` };
  const grown = await launch(target, options);
  await waitUntilReady(grown);
  const session = await new Session(grown.target, "u1", "long").open();
  while (session.stored < messages) await session.turn();
  session.close();
  await grown.stop();
  const times = [];
  for (let repeat = 0; repeat < repeats; repeat++) {
    const server = await launch(target, { ...options, keep: true });
    try {
      await waitUntilReady(server);
      times.push(await resumed(server, mock, session.history, repeat));
    } finally {
      await server.stop();
    }
  }
  return median(times);
}

async function resumed(server, mock, history, repeat) {
  for (let other = 0; other < 4; other++) {
    const session = await new Session(server.target, "u1", `other-${repeat}-${other}`).open();
    for (let turn = 0; turn < 2; turn++) await session.turn();
    session.close();
  }
  await mock.takeLog();
  const session = new Session(server.target, "u1", "long");
  session.history = history;
  const openedAt = now();
  await session.open();
  const opening = now() - openedAt;
  const record = await session.turn();
  session.close();
  const [timed] = await withMockTimes(mock, [record]);
  return opening + timed.firstOver;
}
