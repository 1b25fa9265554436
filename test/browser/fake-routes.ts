import type { IncomingMessage, ServerResponse } from "node:http";
import type { PermissionMode, Rule, Rules } from "../../src/shared/permissions.ts";
import type { PermissionsChange } from "../../src/shared/session-api.ts";
import type { FakeSession } from "./fake-session.ts";
import type { FakeTurn } from "./fake-turn.ts";

type DecisionBody = {
  readonly decision: "approve" | "deny";
  readonly digest: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly always?: readonly Rule[];
  readonly reason?: string;
};

export type Decision = { readonly call: string; readonly body: DecisionBody };

type Desk = {
  readonly modes: readonly PermissionMode[];
  readonly rules: Rules;
  readonly decisions: Decision[];
  delete(id: string): void;
};

type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  /** What follows the session in the path. */
  readonly rest: string;
};

/** The calls of one session that are no turn and no stream. */
export async function handleSession(
  desk: Desk,
  session: FakeSession,
  { request, response, url, rest }: Exchange,
): Promise<void> {
  const { method } = request;
  const body = await readBody(request);
  const json: unknown = body === "" ? {} : JSON.parse(body);
  const call = /^\/calls\/(.+)$/.exec(rest)?.[1];
  if (call !== undefined) return decide(desk, session, response, call, json as DecisionBody);
  if (rest === "/permissions" || rest === "/mode")
    return permit(desk, session, response, method === "PUT" ? (json as PermissionsChange) : null);
  if (rest === "/stop") session.turns.find((turn) => !turn.hasEnded)?.end("stopped");
  else if (rest === "/clear") {
    if (session.turns.some((turn) => !turn.hasEnded))
      return refuse(response, 409, "A turn goes on.");
    session.clear();
  } else if (method === "PATCH") session.title = (json as { title: string }).title;
  else if (method === "DELETE") desk.delete(session.id);
  else {
    const before = url.searchParams.get("before");
    const limit = Number(url.searchParams.get("limit"));
    return sendJson(response, 200, session.history(before === null ? null : Number(before), limit));
  }
  sendJson(response, 200, {});
}

function decide(
  desk: Desk,
  session: FakeSession,
  response: ServerResponse,
  call: string,
  body: DecisionBody,
): void {
  desk.decisions.push({ call, body });
  const turn = session.turns.find((each) => each.pending.some((asked) => asked.call === call));
  const wanted = body.decision === "approve" ? "approved" : "denied";
  if (!turn) {
    const before = session.turns.flatMap((each) => each.answerTo(call) ?? [])[0];
    if (before?.answer !== wanted) return refuse(response, 409, `This call was ${before?.answer}.`);
    return sendJson(response, 200, { call: { call, outcome: "repeated", answer: wanted } });
  }
  if (!turn.pending.some((asked) => asked.call === call && asked.digest === body.digest))
    return refuse(response, 409, "What this call would do has changed since it was asked.");
  if (body.always) session.change({ allow: [...session.permissions.allow, ...body.always] });
  answer(turn, call, wanted, body);
  sendJson(response, 200, { call: { call, outcome: "taken", answer: wanted } });
}

function answer(turn: FakeTurn, call: string, wanted: "approved" | "denied", body: DecisionBody) {
  turn.answer(call, wanted, "user:local", {
    ...(body.input ? { input: JSON.stringify(body.input) } : {}),
    ...(body.reason === undefined ? {} : { reason: body.reason }),
  });
}

function permit(
  desk: Desk,
  session: FakeSession,
  response: ServerResponse,
  change: PermissionsChange | null,
): void {
  if (change?.mode && !desk.modes.includes(change.mode))
    return refuse(response, 403, "The operator does not offer this mode.");
  if (change) session.change(change);
  const view = { session: session.permissions, operator: desk.rules, modes: desk.modes };
  sendJson(response, 200, view);
}

const refuse = (response: ServerResponse, status: number, message: string) =>
  sendJson(response, status, { error: { code: "refused", message, id: "e4" } });

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
