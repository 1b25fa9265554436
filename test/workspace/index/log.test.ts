import { describe, expect, it } from "vitest";
import { FORGOTTEN } from "../../../src/workspace/index/sources.ts";
import { indexOf, KEY, LOG, message, rebuilt, SearchLab } from "./search-lab.ts";

const HOUR = 3_600_000;
/** Long enough for a few of them to be sealed. */
const filler = "nothing of note was said here ".repeat(1_000);

const sealedLines = (lab: SearchLab): number =>
  lab
    .sql(KEY)
    .all<{ lines: number }>("SELECT lines FROM segment")
    .reduce((sum, { lines }) => sum + lines, 0);

const forgotten = (...messages: readonly { path: string; line: number }[]) =>
  `${JSON.stringify({ at: 1, by: "user:ann", ids: ["x"], messages })}\n`;

describe("the log of a session", () => {
  it("[M8, W3] stays searchable when its lines have left the tables, with what they say", async () => {
    const lab = new SearchLab();
    await lab.say(LOG, "a heron stood there", ...Array.from({ length: 15 }, () => filler));
    await lab.pass(HOUR);
    expect(sealedLines(lab)).toBeGreaterThan(1);
    await lab.say(LOG, "a stork came");
    expect((await lab.find("heron stood")).hits[0]).toMatchObject({
      line: 1,
      snippet: "a heron stood there",
    });
    expect((await lab.find("stork came")).hits[0]).toMatchObject({ line: 17 });
  });

  it("[M8, W3] is searched when its lines left before anybody looked, and gives the same index", async () => {
    const lab = new SearchLab();
    const other = new SearchLab();
    for (const it of [lab, other]) {
      await it.say(LOG, "a heron stood there", ...Array.from({ length: 15 }, () => filler));
      await it.say(LOG, "a stork came");
    }
    await other.find("heron");
    await other.pass(HOUR);
    await lab.pass(HOUR);
    for (const table of ["indexed", "excerpt", "word"]) lab.sql(KEY).run(`DELETE FROM ${table}`);
    lab.restart();
    expect((await lab.find("heron stood")).hits[0]).toMatchObject({ line: 1 });
    expect(indexOf(lab.sql(KEY))).toEqual(indexOf(other.sql(KEY)));
  });

  it("[M8] is read from where it was left", async () => {
    const lab = new SearchLab();
    await lab.say(LOG, ...Array.from({ length: 500 }, (_, no) => `message ${no}`));
    await lab.find("message");
    const before = lab.written();
    await lab.say(LOG, "a heron");
    const changed = lab.written();
    expect(await lab.places("heron")).toContain(`${LOG}#501`);
    expect(changed - before).toBeLessThan(10);
    expect(lab.written() - changed).toBeLessThan(12);
  });

  it("[M8] that another one of its name takes the place of is read anew", async () => {
    const lab = new SearchLab();
    await lab.say(LOG, "a heron", "a stork");
    await lab.find("heron");
    await lab.remove(LOG);
    await lab.say(LOG, "a crane", "an egret", "a pelican");
    expect(await lab.texts("heron")).toEqual([]);
    expect(await lab.places("crane")).toContain(`${LOG}#1`);
    expect(indexOf(lab.sql(KEY))).toEqual(await rebuilt(lab));
  });

  it("[M8] is not parted by a line that is not finished yet", async () => {
    const lab = new SearchLab();
    const line = message("a heron");
    const append = (text: string) => lab.change({ kind: "append", path: LOG, text });
    await append(message("hello") + line.slice(0, 20));
    expect(await lab.texts("heron")).toEqual([]);
    await append(line.slice(20));
    expect(await lab.places("heron")).toContain(`${LOG}#2`);
    expect(indexOf(lab.sql(KEY))).toEqual(await rebuilt(lab));
  });

  it("[M8] is looked at in part when it is long, and shows what is known of it", async () => {
    const lab = new SearchLab();
    const texts = Array.from({ length: 5_000 }, (_, no) => message(`word${no}`, no));
    for (let from = 0; from < texts.length; from += 1_000)
      await lab.change({
        kind: "append",
        path: LOG,
        text: texts.slice(from, from + 1_000).join(""),
      });
    expect(await lab.find("word5")).toMatchObject({ isComplete: false, pending: 1 });
    expect(await lab.places("word5")).toContain(`${LOG}#6`);
    await lab.find("word5");
    expect(await lab.find("word4999")).toMatchObject({ isComplete: true, pending: 0 });
    expect(await lab.places("word4999")).toContain(`${LOG}#5000`);
  });
});

describe("messages that were forgotten", () => {
  it("[M7] are not found, whether they were indexed before or after, and nothing is left of them in the index", async () => {
    for (const isBefore of [true, false]) {
      const lab = new SearchLab();
      await lab.say(LOG, "my pin is 4711", "hello", "again: the pin is 4711");
      if (isBefore) expect(await lab.places("4711")).toContain(`${LOG}#1`);
      await lab.write(FORGOTTEN, forgotten({ path: LOG, line: 1 }));
      expect((await lab.texts("4711")).join()).not.toContain("my pin");
      await lab.write(
        FORGOTTEN,
        `not JSON\n${forgotten({ path: LOG, line: 1 }, { path: LOG, line: 3 })}`,
      );
      expect(await lab.texts("4711")).toEqual([]);
      expect(JSON.stringify(lab.sql(KEY).all("SELECT * FROM excerpt"))).not.toContain("4711");
      await lab.say(LOG, "hello again");
      expect(await lab.places("hello again")).toContain(`${LOG}#4`);
      expect(indexOf(lab.sql(KEY))).toEqual(await rebuilt(lab));
    }
  });

  it("[M7] are found again when that they were forgotten is undone", async () => {
    const lab = new SearchLab();
    await lab.write(FORGOTTEN, forgotten({ path: LOG, line: 1 }));
    await lab.say(LOG, "my pin is 4711");
    expect(await lab.texts("4711")).toEqual([]);
    await lab.remove(FORGOTTEN);
    expect(await lab.texts("4711")).toEqual(["my pin is 4711"]);
  });

  it.each(["null", "{}", `{"messages":5}`, `{"messages":[{"path":1}]}`, `{"messages":[null]}`])(
    "[M7] are none in %s",
    async (line) => {
      const lab = new SearchLab();
      await lab.say(LOG, "my pin is 4711", "hello");
      await lab.write(FORGOTTEN, `${line}\n${forgotten({ path: LOG, line: 2 })}`);
      expect(await lab.texts("4711")).toEqual(["my pin is 4711"]);
      expect((await lab.texts("hello")).join()).not.toContain("hello");
    },
  );
});
