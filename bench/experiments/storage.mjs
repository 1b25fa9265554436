import { sleep } from "../clock.mjs";
import { get } from "../http.mjs";
import { launch, waitUntilReady } from "../server.mjs";
import { Session } from "../session.mjs";

const TURNS = 10;

/** What a turn does may outlive its answer by a moment. */
const SETTLE_MS = 1_500;

/**
 * Statements, rows and alarms a turn, told by the storage itself. With `keep` on the data of an earlier run of
 * `sessionId`, whose first turn then also loads it: `wake` is what that took, the turn included.
 */
export async function measureStorage(target, { mock, directory, keep, sessionId, tokens }) {
  const server = await launch({ ...target, start: target.counted }, { mock, directory, keep });
  try {
    await waitUntilReady(server);
    const session = await new Session(server.target, "u1", sessionId).open();
    const take = async (turns, kind) => {
      for (let turn = 0; turn < turns; turn++) await session.turn(kind);
      await sleep(SETTLE_MS);
      return perTurn(JSON.parse(await get(server.target.port, "/counts")), turns);
    };
    const wake = await take(1, { tokens });
    const text = await take(TURNS, { tokens });
    const tool = await take(TURNS, { mode: "tool" });
    session.close();
    return { wake, text, tool };
  } finally {
    await server.stop();
  }
}

/** Rows as they are billed: an alarm set is a row written. */
function perTurn({ statements, rowsRead, rowsWritten, calls }, turns) {
  const alarms = (calls.setAlarm ?? 0) + (calls.deleteAlarm ?? 0);
  return {
    statements: statements / turns,
    rowsRead: rowsRead / turns,
    rowsWritten: (rowsWritten + alarms) / turns,
    alarms: alarms / turns,
    transactions: (calls.transactionSync ?? 0) / turns,
  };
}
