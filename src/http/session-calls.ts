import { type Context, Hono } from "hono";
import * as z from "zod";
import { RuleListSchema } from "../permissions/rule-schema.ts";
import { CarrelError, invalid } from "../shared/errors.ts";
import { parseId } from "../shared/ids.ts";
import type { AnswerOutcome, CallAnswer } from "../shared/session-api.ts";
import type { SessionAddress } from "../shared/session-address.ts";
import type { AppEnv } from "./app-env.ts";
import { checkShape, readBody } from "./body.ts";
import { eventStream, wantsEvents } from "./event-stream.ts";
import { exactQueryOf, given } from "./files-query.ts";
import { addressOf, nameOf } from "./session-address.ts";
import { callSession } from "./session-stub.ts";

const MAX_REASON = 2_000;
const MAX_RESULT = 100_000;

const digest = "must be the digest of the question: 64 hexadecimal digits";

const Digest = z.string(digest).regex(/^[0-9a-f]{64}$/, digest);

const rules = RuleListSchema.min(1, "must have a rule; leave it out for none");

/** A person's decision. `always: true` keeps the first rule that the question suggests. */
const Decision = z.discriminatedUnion(
  "decision",
  [
    z.strictObject({
      decision: z.literal("approve"),
      digest: Digest,
      input: z.record(z.string(), z.unknown()).optional(),
      always: z.union([z.literal(true), rules], "must be true or a list of rules").optional(),
    }),
    z.strictObject({
      decision: z.literal("deny"),
      digest: Digest,
      reason: z.string().max(MAX_REASON).optional(),
      always: rules.optional(),
    }),
  ],
  'must be "approve" or "deny"',
);

/** What a tool gave that the client ran. */
const Result = z.strictObject({
  result: z
    .unknown()
    .refine((value) => lengthOf(value) <= MAX_RESULT, `may have at most ${MAX_RESULT} characters`),
  isError: z.boolean().default(false),
  digest: Digest,
});

/** Answers to calls that wait for someone outside. */
export function callRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();

  routes.post("/calls/:call", async (c) => {
    const call = parseId("The call id", c.req.param("call"));
    const after = exactQueryOf(c.req.raw, ["after"]).get("after");
    const answer = toAnswer(call, await readBody(c.req.raw, z.unknown()));
    if (wantsEvents(c)) return await answerAndFollow(c, answer, after);
    const address = addressOf(c);
    const { answers, turn } = await callSession(c.env, address, (session) =>
      session.answer(address, [answer], nameOf(c)),
    );
    return c.json({ call: counted(answers), turn });
  });

  return routes;
}

/** The events from the answer on, or after the event that the caller names. */
async function answerAndFollow(c: Context<AppEnv>, answer: CallAnswer, after?: string) {
  const address = addressOf(c);
  const from = after ?? (await newestEvent(c, address));
  const { answers, events } = await callSession(c.env, address, (session) =>
    session.answerAndTail(address, [answer], nameOf(c), from),
  );
  try {
    counted(answers);
  } catch (error) {
    await events.cancel();
    throw error;
  }
  return eventStream(events);
}

async function newestEvent(c: Context<AppEnv>, address: SessionAddress): Promise<string> {
  const { page } = await callSession(c.env, address, (session) =>
    session.history(address, { limit: 1 }),
  );
  return page.status.last;
}

/** The answer that a body gives to `call`. Throws `CarrelError('invalid')` that says what to send instead. */
export function toAnswer(call: string, json: unknown): CallAnswer {
  const isObject = typeof json === "object" && json !== null;
  if (isObject && "result" in json) {
    const { result, ...rest } = checkShape(Result, json);
    return { kind: "result", call, output: result, ...rest };
  }
  if (!isObject || !("decision" in json))
    throw invalid(
      'Send {"decision": "approve" or "deny", "digest": "..."}, or {"result": ..., "digest": "..."} for a tool that the client runs.',
    );
  const body = checkShape(Decision, json);
  if (body.decision === "approve") {
    const { digest, input, always } = body;
    return { kind: "approve", call, digest, ...given({ input, always }) };
  }
  const { digest, reason, always } = body;
  return { kind: "deny", call, digest, ...given({ reason, always }) };
}

const lengthOf = (value: unknown): number =>
  typeof value === "string" ? value.length : JSON.stringify(value).length;

/** The outcome, if the answer counts. Throws `CarrelError('conflict')` that says what came first. */
function counted([outcome]: readonly AnswerOutcome[]): AnswerOutcome {
  if (!outcome) throw new Error("an answer without an outcome");
  if (outcome.outcome === "stale") throw new CarrelError("conflict", staleness(outcome.answer));
  return outcome;
}

function staleness(answer: AnswerOutcome["answer"]): string {
  switch (answer) {
    case null:
      return "What this call would do has changed since it was asked. Read the session and decide on the new question.";
    case "approved":
      return "This call was approved before, which stands.";
    case "denied":
      return "This call was denied before, which stands: it does not run.";
    case "expired":
      return "Nobody answered this call in time, so it was denied.";
    case "result":
      return "This call has its result already, which stands.";
  }
}
