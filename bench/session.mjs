// One person's conversation with a target: a turn at a time, each with a record of when what was seen.
import { now } from "./clock.mjs";
import { post } from "./http.mjs";
import { connect } from "./socket.mjs";

const TURN_MS = 30_000;
const QUESTION =
  "Please look at the notes about subject four and tell me what changed since last week, in one short line.";

const run = Date.now().toString(36).slice(-5);
let turns = 0;

/** The ids that the mock provider knows of are unique over all targets. */
const nextId = () => `${run}${(turns++).toString(36)}`;

export class Session {
  /** Messages stored so far, as the target's own history counts them. */
  stored = 0;
  /** What a client that sends the whole transcript each time remembers. */
  history = [];
  #socket = null;

  constructor(target, userId, sessionId) {
    this.target = target;
    this.userId = userId;
    this.sessionId = sessionId;
    this.base = `http://127.0.0.1:${target.port}`;
  }

  async open() {
    if (this.target.kind === "ws") this.#socket = await connect(this.target.ws.url(this));
    return this;
  }

  close() {
    this.#socket?.close();
  }

  /** Asks once and waits for the whole answer. `tool` turns call get_time first. */
  async turn({ mode = "text", tokens = 20, delay = 0 } = {}) {
    const id = nextId();
    const text = `${QUESTION} ZQ${mode}:${id}:${tokens}:${delay};`;
    const record = { id, mode, startedAt: 0, first: 0, last: 0, done: 0 };
    this.stored += mode === "tool" ? 4 : 2;
    if (this.#socket) await this.#overSocket(record, text);
    else await this.#overHttp(record, text);
    if (!record.last)
      throw new Error(`${this.target.name} ended turn ${id} without its last token`);
    return record;
  }

  async #overHttp(record, text) {
    const { base, userId, sessionId } = this;
    const request = this.target.request({ base, userId, sessionId, text });
    let seen = "";
    record.startedAt = now();
    const bytes = await post(
      this.target.port,
      request,
      (data) => {
        const at = now();
        seen += data.latin1Slice();
        notice(record, seen, at);
      },
      TURN_MS,
    );
    record.done = now();
    record.up = bytes.up;
    record.down = bytes.down;
    record.events = seen.split("\ndata: ").length - 1 + (seen.startsWith("data: ") ? 1 : 0);
  }

  #overSocket(record, text) {
    const { ws } = this.target;
    const frame = ws.frame({ text, id: record.id, history: this.history });
    const frames = [];
    return new Promise((resolve, reject) => {
      const late = () => reject(new Error(`${this.target.name} timed out`));
      const timer = setTimeout(late, TURN_MS);
      this.#socket.onText = (seen) => {
        const at = now();
        if (!ws.mine(seen, record.id)) return;
        frames.push(seen);
        notice(record, seen, at);
        if (!ws.done(seen, record.id)) return;
        record.done = at;
        clearTimeout(timer);
        const answer = ws.full ? ws.assistant(frames) : null;
        if (answer) this.history.push(answer);
        resolve();
      };
      record.startedAt = now();
      this.#socket.send(frame);
    });
  }
}

function notice(record, seen, at) {
  if (!record.first && seen.includes(`ZA${record.id}`)) record.first = at;
  if (!record.last && seen.includes(`ZZ${record.id}`)) record.last = at;
}
