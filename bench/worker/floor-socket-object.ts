import { DurableObject } from "cloudflare:workers";
import { askModel, FloorAnswer, type FloorEnv, type FloorMessage } from "./floor-model.ts";

const MAX_STEPS = 10;

/** `floorws`: the same loop over a WebSocket, with the history in memory and one frame for each read of the wire. */
export class FloorSocketObject extends DurableObject<FloorEnv> {
  readonly #history: FloorMessage[];

  constructor(ctx: DurableObjectState, env: FloorEnv) {
    super(ctx, env);
    const { sql } = ctx.storage;
    sql.exec("CREATE TABLE IF NOT EXISTS messages(id INTEGER PRIMARY KEY, at INTEGER, msg TEXT)");
    const rows = sql.exec<{ msg: string }>("SELECT msg FROM messages ORDER BY id");
    this.#history = [...rows].map((row) => JSON.parse(row.msg) as FloorMessage);
  }

  override fetch(): Response {
    const pair = new WebSocketPair();
    this.ctx.acceptWebSocket(pair[1]);
    return new Response(null, { status: 101, webSocket: pair[0] });
  }

  override async webSocketMessage(socket: WebSocket, data: string): Promise<void> {
    const { id, text } = JSON.parse(data) as { id: string; text: string };
    const send = (frame: object) => socket.send(JSON.stringify({ id, ...frame }));
    this.#append({ role: "user", content: text });
    for (let step = 0; step < MAX_STEPS; step++) {
      const answer = new FloorAnswer();
      for await (const bytes of await askModel(this.env.MOCK_URL, this.#history)) {
        const added = answer.read(bytes);
        if (added !== "") send({ type: "text", text: added });
      }
      for (const call of answer.calls) send({ type: "tool", ...call.function });
      for (const said of answer.messages()) this.#append(said);
      if (answer.calls.length === 0) break;
    }
    send({ type: "done", done: true });
  }

  #append(message: FloorMessage): void {
    this.#history.push(message);
    this.ctx.storage.sql.exec(
      "INSERT INTO messages(at, msg) VALUES (?, ?)",
      Date.now(),
      JSON.stringify(message),
    );
  }
}
