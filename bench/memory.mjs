// How much of what was said is found again: `npm run bench:memory -- locomo10.json`. The data (snap-research/locomo,
// `data/locomo10.json`, CC BY-NC 4.0) is no part of this project.
import { readFileSync } from "node:fs";
import { withoutComments, writeMark } from "../src/shared/memory-marks.ts";
import { WorkspaceLab } from "../test/support/workspace-lab.ts";

/** Below this the bench fails: recall of sessions and of turns in the first 10, and what a form may lose. */
const FLOORS = { session: 0.91, turn: 0.73, loss: 0.01 };
const TARGETS = { session: 0.92, turn: 0.75 };
const FIRST = 10;
const DAY_MS = 86_400_000;
const RETENTION_DAYS = 90;
/** Turns of one flush, and entries of one change. */
const FLUSHED = 8;

const plain = {
  name: "one ledger a session, one entry a turn",
  /** The lines of a ledger, each with the turn that it says or `null`. */
  lines: ({ day, turns }) => [
    [`# ${day}`, null],
    ["", null],
    ...turns.map((turn) => [`- ${spoken(turn)}`, turn.dia_id]),
  ],
  archive: false,
};

const flushed = {
  name: "as flushed, old ledgers archived",
  lines: ({ day, turns, no }) =>
    chunks(turns, FLUSHED).flatMap((some, at) => [
      ["", null],
      [`## Memory Flush — ${day}T12:${String(at % 60).padStart(2, "0")}:00.000Z`, null],
      [writeMark({ session: `main/s${no}`, turn: `t${at}`, seq: [at * 20, at * 20 + 19] }), null],
      ["", null],
      ...some.map((turn) => [`- ${withoutComments(spoken(turn))}`, turn.dia_id]),
    ]),
  archive: true,
};

const spoken = ({ speaker, text, blip_caption: caption }) =>
  `${speaker}: ${text}${caption ? ` (shows ${caption})` : ""}`.replace(/\s+/g, " ");

const chunks = (items, size) =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );

function sessionsOf(conversation) {
  const sessions = [];
  let last = 0;
  for (let no = 1; conversation[`session_${no}_date_time`] !== undefined; no += 1) {
    const turns = conversation[`session_${no}`];
    if (!turns?.length) continue;
    const said = Date.parse(
      conversation[`session_${no}_date_time`].replace(/^.* on (\d+) (\w+), (\d+)$/, "$1 $2 $3 UTC"),
    );
    last = Math.max(said, last + DAY_MS);
    sessions.push({ no, turns, day: new Date(last).toISOString().slice(0, 10), at: last });
  }
  return sessions;
}

/** Writes a conversation as memory; gives the place of each turn. */
async function remember(workspace, sessions, form) {
  const places = new Map();
  const newest = Math.max(...sessions.map(({ at }) => at));
  for (const session of sessions) {
    const path = `memory/${session.day}.md`;
    const lines = form.lines(session);
    const isOld = form.archive && session.at < newest - RETENTION_DAYS * DAY_MS;
    const to = isOld ? `memory/archive/${session.day}.md` : path;
    for (const [at, [, turn]] of lines.entries())
      if (turn !== null) places.set(turn, { path: to, line: at + 1 });
    const text = `${lines.map(([line]) => line).join("\n")}\n`;
    const write = { kind: "write", path, content: { text } };
    const changes = isOld ? [write, { kind: "move", path, to }] : [write];
    await workspace.change({ by: "bench", changes });
  }
  return places;
}

const share = (gold, found) => gold.filter((item) => found.has(item)).length / gold.length;

async function recallOf({ conversation, qa }, form) {
  const workspace = new WorkspaceLab().workspace();
  const places = await remember(workspace, sessionsOf(conversation), form);
  const sums = { questions: 0, session: 0, turn: 0, ms: 0 };
  for (const { question, evidence } of qa) {
    const turns = new Set(evidence.flatMap((text) => text.match(/D\d+:\d+/g) ?? []));
    const gold = [...turns].flatMap((turn) => places.get(turn) ?? []);
    if (gold.length === 0) continue;
    const began = performance.now();
    const { hits, isComplete } = await workspace.search({ query: question, limit: 100 });
    sums.ms += performance.now() - began;
    if (!isComplete) throw new Error("the index is not complete");
    const spell = ({ path, line }) => `${path}#${line}`;
    const files = [...new Set(hits.map(({ path }) => path))].slice(0, FIRST);
    sums.questions += 1;
    sums.turn += share(gold.map(spell), new Set(hits.slice(0, FIRST).map(spell)));
    sums.session += share([...new Set(gold.map(({ path }) => path))], new Set(files));
  }
  return sums;
}

async function run(conversations, form) {
  const all = { questions: 0, session: 0, turn: 0, ms: 0 };
  for (const conversation of conversations) {
    const sums = await recallOf(conversation, form);
    for (const name of Object.keys(all)) all[name] += sums[name];
  }
  const { questions } = all;
  const mean = (name) => all[name] / questions;
  return { questions, session: mean("session"), turn: mean("turn"), ms: mean("ms") };
}

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error("Say where the data is: npm run bench:memory -- locomo10.json");
  process.exit(2);
}
const conversations = JSON.parse(readFileSync(file, "utf8"));
const results = [];
for (const form of [plain, flushed])
  results.push({ form: form.name, ...(await run(conversations, form)) });

console.table(
  results.map(({ form, questions, session, turn, ms }) => ({
    form,
    questions,
    "session recall@10": session.toFixed(4),
    "turn recall@10": turn.toFixed(4),
    "ms a search": ms.toFixed(2),
  })),
);
console.info(`targets: session ${TARGETS.session}, turn ${TARGETS.turn}`);
const [first, second] = results;
const failures = ["session", "turn"].flatMap((name) => [
  ...(first[name] < FLOORS[name] ? [`${name} recall is below ${FLOORS[name]}`] : []),
  ...(second[name] < first[name] - FLOORS.loss ? [`${name} recall falls with the form`] : []),
]);
for (const failure of failures) console.error(failure);
process.exitCode = failures.length > 0 ? 1 : 0;
