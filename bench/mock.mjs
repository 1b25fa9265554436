// An OpenAI-compatible provider on 127.0.0.1 that answers at once. The last user message steers it:
//   ZQ<mode>:<id>:<tokens>:<delay in ms>;    mode is "text", "tool" or "twice"
// "text" streams so many tokens, the first is ZA<id>, the last ZZ<id>. "tool" calls get_time first, "twice" two times,
// in a step of its own each.
// GET /dump gives, by id, when each request came, when its first token left and when it was done, and forgets them.
import http from "node:http";
import { now, sleep } from "./clock.mjs";

const STEERING = /^ZQ([a-z]+):([A-Za-z0-9_-]+):(\d+):(\d+);/;

/** Tool calls before the answer, by mode. */
const CALLS = { tool: 1, twice: 2 };

let log = {};
let answers = 0;

const server = http.createServer((request, response) => {
  if (request.method === "POST") return void complete(request, response);
  response.end(JSON.stringify(log));
  if (request.url === "/dump") log = {};
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.MOCK_PORT ?? 0), "127.0.0.1", () => {
  process.send?.({ port: server.address().port });
});
process.once("disconnect", () => process.exit());

async function complete(request, response) {
  const entry = { received: now(), first: 0, end: 0, bytes: 0 };
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  const text = body.toString("latin1");
  const at = text.lastIndexOf("ZQ");
  const [, mode = "text", id = "none", tokens = "20", delay = "0"] =
    STEERING.exec(text.slice(at, at + 120)) ?? [];
  entry.bytes = body.length;
  (log[id] ??= []).push(entry);

  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const answer = new Answer(response, text.includes('"include_usage":true'), body.length);
  const results = text.slice(at).match(/"role"\s*:\s*"tool"/g)?.length ?? 0;
  if (results < (CALLS[mode] ?? 0)) sayCall(answer, entry, `${id}-${results}`);
  else await sayText(answer, entry, id, Number(tokens), Number(delay));
  answer.close();
  entry.end = now();
  response.end();
}

function sayCall(answer, entry, id) {
  const call = (fields) => ({ tool_calls: [{ index: 0, ...fields }] });
  const named = { name: "get_time", arguments: "" };
  entry.first = now();
  answer.say({
    role: "assistant",
    content: null,
    ...call({ id: `call_${id}`, type: "function", function: named }),
  });
  answer.say(call({ function: { arguments: '{"tz":' } }));
  answer.say(call({ function: { arguments: '"UTC"}' } }));
  answer.say({}, "tool_calls");
}

async function sayText(answer, entry, id, tokens, delay) {
  const pause = () => (delay > 0 ? sleep(delay) : undefined);
  answer.say({ role: "assistant", content: "" });
  await pause();
  entry.first = now();
  answer.say({ content: `ZA${id} ` });
  for (let token = 2; token < tokens; token++) {
    await pause();
    answer.say({ content: "lorem " });
  }
  await pause();
  answer.say({ content: `ZZ${id}.` });
  answer.say({}, "stop");
}

/** One streamed answer, a write for each chunk, as providers do. */
class Answer {
  #frame;
  #response;
  #usage;
  #chunks = 0;

  constructor(response, withUsage, requestBytes) {
    const id = `chatcmpl-${process.pid}-${++answers}`;
    this.#frame = {
      id,
      object: "chat.completion.chunk",
      created: 1_700_000_000,
      model: "mock",
      system_fingerprint: "fp",
    };
    this.#response = response;
    this.#usage = withUsage ? Math.ceil(requestBytes / 4) : null;
  }

  say(delta, finish_reason = null) {
    this.#chunks++;
    this.#write({ ...this.#frame, choices: [{ index: 0, delta, finish_reason }] });
  }

  close() {
    if (this.#usage !== null) {
      const usage = { prompt_tokens: this.#usage, completion_tokens: this.#chunks };
      this.#write({ ...this.#frame, choices: [], usage });
    }
    this.#response.write("data: [DONE]\n\n");
  }

  #write(chunk) {
    this.#response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
}
