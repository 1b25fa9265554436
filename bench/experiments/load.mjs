import { now } from "../clock.mjs";
import { cpuOf } from "../server.mjs";
import { Session } from "../session.mjs";
import { median } from "../statistics.mjs";

/** So many sessions at once, each asking again as soon as it is answered: turns a second, and CPU a turn. */
export async function measureLoad(servers, mock, { sessions, turns, repeats }) {
  const seen = new Map(servers.map((server) => [server, []]));
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const server of servers) {
      const result = await burst(server, `load-${repeat}`, { sessions, turns }).catch((error) =>
        // One lost turn of another target must not cost the whole run.
        console.error(`not counted: ${error.message}`),
      );
      if (result) seen.get(server).push(result);
      await mock.takeLog();
    }
  }
  return [...seen].map(([server, bursts]) => [
    server.target.name,
    {
      perSecond: median(bursts.map((burst) => burst.perSecond)),
      cpu: median(bursts.map((burst) => burst.cpu)),
    },
  ]);
}

async function burst(server, sessionId, { sessions, turns }) {
  const people = Array.from(
    { length: sessions },
    (_, index) => new Session(server.target, `u${index}`, sessionId),
  );
  await Promise.all(people.map((person) => person.open()));
  const cpuBefore = cpuOf(server.pid);
  const startedAt = now();
  await Promise.all(
    people.map(async (person) => {
      for (let turn = 0; turn < turns; turn++) await person.turn();
    }),
  );
  const count = sessions * turns;
  const result = {
    perSecond: (count / (now() - startedAt)) * 1000,
    cpu: (cpuOf(server.pid) - cpuBefore) / count,
  };
  for (const person of people) person.close();
  return result;
}
