import { describe, expect, it } from "vitest";
import type { CompactionLab } from "./compaction-lab.ts";
import { keptLab, manual, obey, opening, reading, times } from "./kept-lab.ts";

const tight = {
  window: 20_000,
  config: { reserved: 4_000, triggerTokens: 8_000, keepTokens: 1_500, prune: null },
};

async function chat(talking: CompactionLab, turns: number, key = "chat") {
  for (let no = 0; no < turns; no++) await talking.say(`${key}${no}`, reading(6_000));
}

/** Opens an edition of a manual, and reads until that step is cut from the context, all in one turn. */
function longTurn() {
  let step = -1;
  let calls: readonly object[] = [];
  const talking = keptLab({
    ...tight,
    answer: (said, request) => {
      if (said !== "Work.") return obey(said, request);
      step += 1;
      const next = calls[step];
      return next
        ? { text: "", calls: [next as { name: string; input: object }] }
        : { text: "Ok." };
    },
  });
  const work = async (...planned: readonly object[]) => {
    step = -1;
    calls = planned;
    await talking.say("work", "Work.");
  };
  return { talking, work };
}

const open = (edition: number) => ({ name: "open_manual", input: { name: "a", edition } });
const read = { name: "read_news", input: { chars: 6_000 } };

describe("an answer that is given anew", () => {
  it.each([false, true])(
    "[K3, C6, T13] has no result that only the answer before had, and the one that it replaced again (restarted: %s)",
    async (isRestarted) => {
      const { talking, work } = longTurn();
      await talking.say("one", opening({ name: "a", edition: 1 }, { name: "b" }));
      await chat(talking, 8);
      expect(times(talking, manual("a", 1, 3_000))).toBe(1);
      const reads = Array.from({ length: 10 }, () => read);
      await work(open(2), ...reads);
      expect(talking.document.turn).toBeDefined();
      expect(times(talking, manual("a", 2, 3_000))).toBe(1);
      expect(times(talking, "MANUAL a 1")).toBe(0);
      if (isRestarted) talking.lab.restart();
      talking.lab.say("again", { kind: "regenerate" });
      await talking.lab.settle();
      await chat(talking, 8, "more");
      expect(times(talking, "MANUAL a 2")).toBe(0);
      expect(times(talking, manual("a", 1, 3_000))).toBe(1);
      expect(times(talking, manual("b", 1, 3_000))).toBe(1);
      expect(talking.violations).toEqual([]);
    },
  );
});
