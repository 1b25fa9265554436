// The table: a row for each figure, a column for each target, and whether the figure holds.

/** At most so many times the floor's figure, by figure. */
const FLOOR_RATIO = { firstOver: 1.4, over: 1.4, tool: 1.5, cpu: 1.6, start: 2 };
/** Peers: so many times slower in a turn, and so many times fewer turns a second, at least. */
const PEER_RATIO = { over: 2.8, perSecond: 5 };

/**
 * Rows of `{ figure, unit, values, target, holds }` from everything that was measured. `values` are by target; a
 * figure without a target has `holds: null`.
 */
export function rowsOf(measured) {
  return [
    ...turnRows(measured),
    ...loadRows(measured),
    ...growthRows(measured),
    ...storageRows(measured),
    ...wireRows(measured),
    ...startRows(measured),
    ...bundleRows(measured),
  ];
}

const row = (figure, unit, values, target = "", holds = null) => ({
  figure,
  unit,
  values,
  target,
  holds,
});

const atMost = (figure, unit, values, limit, what = `≤ ${limit}`) =>
  row(figure, unit, values, what, values.carrel <= limit);

/** `values` with the floor's as what ours is compared with, and below it every peer's that has a target. */
function against(figure, unit, values, ratio, peerRatio = null) {
  const times = values.carrel / values.floordo;
  const target = `≤ ${ratio} × floordo: ${times.toFixed(2)}`;
  const rows = [row(figure, unit, values, target, times <= ratio)];
  if (peerRatio !== null) rows.push(...peerRows(values, peerRatio, (peer) => peer / values.carrel));
  return rows;
}

const peerRows = (values, ratio, timesOf) =>
  Object.entries(values)
    .filter(([name]) => !isOwn(name))
    .map(([name, peer]) => {
      const times = timesOf(peer);
      return row(`… ${name}`, "×", { carrel: times }, `≥ ${ratio}`, times >= ratio);
    });

const isOwn = (name) => ["carrel", "floordo", "floorws"].includes(name);

const pick = (results, field) =>
  Object.fromEntries(results.map(([name, result]) => [name, result[field]]));

function turnRows({ text20, text100, tool }) {
  const { over, firstOver, cpu } = FLOOR_RATIO;
  return [
    ...against("first token, 20 chunks", "ms", pick(text20, "firstOver"), firstOver),
    ...against("first token, 100 chunks", "ms", pick(text100, "firstOver"), firstOver),
    ...against("text turn, 20 chunks", "ms", pick(text20, "over"), over, PEER_RATIO.over),
    ...against("text turn, 100 chunks", "ms", pick(text100, "over"), over, PEER_RATIO.over),
    row("… 95 % of them within", "ms", pick(text100, "overP95")),
    ...against("one-tool turn", "ms", pick(tool, "over"), FLOOR_RATIO.tool, PEER_RATIO.over),
    row("request to the model, 20 chunks", "bytes", pick(text20, "requestBytes")),
    ...against("CPU a turn, 20 chunks", "ms", pick(text20, "cpu"), cpu),
    ...against("CPU a turn, 100 chunks", "ms", pick(text100, "cpu"), cpu),
    ...against("CPU a one-tool turn", "ms", pick(tool, "cpu"), cpu),
  ];
}

function loadRows({ load, sessions }) {
  const perSecond = pick(load, "perSecond");
  return [
    row(`${sessions} sessions at once`, "turns/s", perSecond),
    ...peerRows(perSecond, PEER_RATIO.perSecond, (peer) => perSecond.carrel / peer),
    ...against("CPU a turn under load", "ms", pick(load, "cpu"), FLOOR_RATIO.cpu),
  ];
}

function growthRows({ growth }) {
  const [, first] = growth[0];
  const [longest, last] = growth.at(-1);
  const rows = growth.map(([length, { over }]) =>
    row(`text turn at ${length} messages`, "ms", { carrel: over }),
  );
  const values = { carrel: last.over / first.over };
  return [...rows, atMost(`… ${longest} against ${growth[0][0]}`, "×", values, 1.15)];
}

function storageRows({ storage, longStorage, floorStorage }) {
  const [length, long] = longStorage;
  const of = (kind, field) => ({
    carrel: storage[kind][field],
    floordo: floorStorage[kind][field],
  });
  const at = (kind, field) => ({ carrel: long[kind][field] });
  const rows = [];
  for (const [kind, name, statements, written] of [
    ["text", "text turn", 15, 9],
    ["tool", "one-tool turn", 25, 13],
  ]) {
    rows.push(
      atMost(`statements, ${name}`, "", of(kind, "statements"), statements),
      atMost(`… at ${length} messages`, "", at(kind, "statements"), statements),
      atMost(`rows written, ${name}`, "", of(kind, "rowsWritten"), written),
      atMost(`… at ${length} messages`, "", at(kind, "rowsWritten"), written),
      row(`… alarms among them`, "", of(kind, "alarms")),
      row(`rows read, ${name}`, "", of(kind, "rowsRead")),
      atMost(
        `… at ${length} messages`,
        "",
        at(kind, "rowsRead"),
        storage[kind].rowsRead,
        "the same",
      ),
    );
  }
  const wake = { carrel: long.wake.statements };
  rows.push(atMost(`wake with ${length} messages, and a turn`, "statements", wake, 30));
  return rows;
}

function wireRows({ text100, replyBytes }) {
  const up = pick(text100, "up");
  const down = pick(text100, "down");
  const [, { events }] = text100.find(([name]) => name === "carrel");
  const limit = replyBytes + 150 * events + 1024;
  return [
    atMost("bytes up, 100 chunks", "", up, 2048),
    atMost(`bytes down, ${events} events`, "", down, limit),
  ];
}

function startRows({ cold, resume }) {
  const limit = resume.floorws + 15;
  return [
    ...against("process start to first answer", "ms", cold, FLOOR_RATIO.start),
    atMost("first token after restart, 1,000 messages", "ms", resume, limit, "≤ floorws + 15"),
  ];
}

function bundleRows({ bundle, startCpu }) {
  return [
    atMost("bundle, gzipped", "KiB", bundle, 150),
    atMost("start-up CPU of the bundle", "ms", { carrel: startCpu.own }, 60),
    row("… with workerd's own", "ms", { carrel: startCpu.total }),
  ];
}

/** The table as text, Markdown that also reads well in a terminal. */
export function toTable(rows) {
  const names = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  const cells = rows.map(({ figure, unit, values, target, holds }) => [
    figure,
    ...names.map((name) => format(values[name])),
    unit,
    target,
    holds === null ? "" : holds ? "ok" : "MISS",
  ]);
  const table = [["", ...names, "", "target", ""], ...cells];
  const widths = table[0].map((_, column) => Math.max(...table.map((line) => line[column].length)));
  const isNumber = (column) => column > 0 && column <= names.length;
  const pad = (text, column) =>
    isNumber(column) ? text.padStart(widths[column]) : text.padEnd(widths[column]);
  const lines = table.map((line) => `| ${line.map(pad).join(" | ")} |`);
  const rule = widths.map((width, column) =>
    isNumber(column) ? `${"-".repeat(width - 1)}:` : "-".repeat(width),
  );
  lines.splice(1, 0, `| ${rule.join(" | ")} |`);
  return lines.join("\n");
}

function format(value) {
  if (value === undefined || !Number.isFinite(value)) return "";
  if (Number.isInteger(value)) return String(value);
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
