import { DurableObject } from "cloudflare:workers";
import { askModel, FloorAnswer, type FloorEnv, type FloorMessage } from "./floor-model.ts";

const MAX_STEPS = 10;

/** `floordo`: messages as rows, a hand-written loop, the provider's bytes passed on. Reads its history at each turn. */
export class FloorObject extends DurableObject<FloorEnv> {
  constructor(ctx: DurableObjectState, env: FloorEnv) {
    super(ctx, env);
    ctx.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS messages(id INTEGER PRIMARY KEY, at INTEGER, msg TEXT)",
    );
  }

  override async fetch(request: Request): Promise<Response> {
    const { message } = await request.json<{ message: string }>();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    this.ctx.waitUntil(this.#turn(message, writer).catch((error) => writer.abort(error)));
    return new Response(readable, { headers: { "content-type": "text/event-stream" } });
  }

  async #turn(message: string, writer: WritableStreamDefaultWriter<Uint8Array>): Promise<void> {
    const history = this.#history();
    this.#append(history, { role: "user", content: message });
    for (let step = 0; step < MAX_STEPS; step++) {
      const answer = new FloorAnswer();
      for await (const bytes of await askModel(this.env.MOCK_URL, history)) {
        void writer.write(bytes);
        answer.read(bytes);
      }
      for (const said of answer.messages()) this.#append(history, said);
      if (answer.calls.length === 0) break;
    }
    await writer.close();
  }

  #history(): FloorMessage[] {
    const rows = this.ctx.storage.sql.exec<{ msg: string }>("SELECT msg FROM messages ORDER BY id");
    return [...rows].map((row) => JSON.parse(row.msg) as FloorMessage);
  }

  #append(history: FloorMessage[], message: FloorMessage): void {
    history.push(message);
    this.ctx.storage.sql.exec(
      "INSERT INTO messages(at, msg) VALUES (?, ?)",
      Date.now(),
      JSON.stringify(message),
    );
  }
}
