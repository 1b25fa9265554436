import type { Env, SessionStub } from "../env.ts";
import { CarrelError } from "../shared/errors.ts";
import { sessionKey } from "../shared/ids.ts";
import { isMarked } from "../shared/platform-error.ts";
import { type SessionApi, STREAM_ANSWER, type StreamMethod } from "../shared/session-api.ts";
import type { Failure } from "../shared/errors.ts";
import type { SessionAddress } from "../shared/session-address.ts";

type Answer = { readonly ok: true } | Failure;

/**
 * Calls the object of a session. Expected failures arrive as data and are thrown again here; a lost connection is
 * tried once more on a fresh stub (every method may be repeated), an overloaded object is not.
 */
export async function callSession<Result extends Answer>(
  env: Env,
  address: SessionAddress,
  call: (session: SessionApi) => Promise<Result>,
): Promise<Extract<Result, { ok: true }>> {
  const stub = () => sessionOf(env, address);
  let answer: Result;
  try {
    answer = await call(stub());
  } catch (error) {
    if (isMarked(error, "overloaded")) throw overloaded();
    if (!isMarked(error, "retryable")) throw error;
    answer = await call(stub());
  }
  if (isFailure(answer)) throw new CarrelError(answer.code, answer.message);
  return answer as Extract<Result, { ok: true }>;
}

/** Streams come with `fetch`: over RPC a turn takes a twentieth more CPU and its first token longer (measured). */
function sessionOf(env: Env, address: SessionAddress): SessionApi {
  const object = env.SESSIONS.getByName(sessionKey(address));
  const rpc = object as unknown as SessionApi;
  return {
    accept: (...args) => rpc.accept(...args),
    acceptAndTail: (...args) => stream(object, "acceptAndTail", args),
    answer: (...args) => rpc.answer(...args),
    answerAndTail: (...args) => stream(object, "answerAndTail", args),
    permissions: (...args) => rpc.permissions(...args),
    setPermissions: (...args) => rpc.setPermissions(...args),
    work: (...args) => rpc.work(...args),
    setPlan: (...args) => rpc.setPlan(...args),
    rename: (...args) => rpc.rename(...args),
    clear: (...args) => rpc.clear(...args),
    remove: (...args) => rpc.remove(...args),
    importState: (...args) => rpc.importState(...args),
    tasks: (...args) => rpc.tasks(...args),
    task: (...args) => rpc.task(...args),
    cancelTask: (...args) => rpc.cancelTask(...args),
    begin: (...args) => rpc.begin(...args),
    govern: (...args) => rpc.govern(...args),
    report: (...args) => rpc.report(...args),
    openTail: (...args) => stream(object, "openTail", args),
    stop: (...args) => rpc.stop(...args),
    history: (...args) => rpc.history(...args),
    state: (...args) => rpc.state(...args),
    current: (...args) => rpc.current(...args),
  };
}

async function stream<Answered extends Answer>(
  object: SessionStub,
  method: StreamMethod,
  args: readonly unknown[],
): Promise<Answered> {
  const body = JSON.stringify({ method, args });
  const response = await object.fetch("https://session/", { method: "POST", body });
  const head = response.headers.get(STREAM_ANSWER);
  if (head === null) return await response.json();
  return { ...(JSON.parse(head) as object), events: response.body } as unknown as Answered;
}

const isFailure = (answer: Answer): answer is Failure => !answer.ok;

const overloaded = (): CarrelError =>
  new CarrelError("overloaded", "This session is busy. Try again in a moment.");
