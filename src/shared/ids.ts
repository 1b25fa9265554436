import { invalid } from "./errors.ts";
import type { SessionAddress } from "./session-address.ts";

/** What agent, user and session ids look like. */
export const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Agent, user and session ids, refused rather than repaired (promise I2). `what` names the id in the error. */
export function parseId(what: string, raw: string): string {
  if (!ID.test(raw)) {
    throw invalid(
      `${what} must be 1 to 128 characters: a letter or digit first, then letters, digits, ".", "_" or "-".`,
    );
  }
  return raw;
}

const KEY = /^[\x21-\x7e]{1,128}$/;

/**
 * An idempotency key: 1 to 128 printable ASCII characters without spaces, and not one that reads as the id of an
 * answer. It becomes the turn's id.
 */
export function parseKey(raw: string): string {
  if (raw.endsWith(".reply")) throw invalid('An idempotency key must not end with ".reply".');
  if (!KEY.test(raw)) {
    throw invalid("An idempotency key must be 1 to 128 printable ASCII characters without spaces.");
  }
  return raw;
}

/** Checks every part, so that `sessionKey` is injective over all addresses that exist. */
export function sessionAddress(agent: string, user: string, session: string): SessionAddress {
  return {
    agent: parseId("The agent id", agent),
    user: parseId("The user id", user),
    session: parseId("The session id", session),
  };
}

/**
 * The one name of a session: of its object, and of everything stored for it. Ids hold no slash and the key
 * ends with one, so no key is a prefix of another's.
 */
export function sessionKey(address: SessionAddress): string {
  return `v1/agents/${address.agent}/users/${address.user}/sessions/${address.session}/`;
}

/** The id of a turn's answer, the same from its first event to its last. */
export const replyId = (turn: string): string => `${turn}.reply`;

/** The turn that a message id belongs to: a user message has its turn's id, an answer `replyId` of it. */
export function turnOfMessage(id: string): string {
  return id.endsWith(".reply") ? id.slice(0, -".reply".length) : id;
}

/** The address that a session's key was made from. Throws a plain `Error` for anything that is not such a key. */
export function parseSessionKey(key: string | undefined): SessionAddress {
  const match = /^v1\/agents\/([^/]+)\/users\/([^/]+)\/sessions\/([^/]+)\/$/.exec(key ?? "");
  const [, agent, user, session] = match ?? [];
  if (agent === undefined || user === undefined || session === undefined)
    throw new Error("not the key of a session");
  return sessionAddress(agent, user, session);
}
