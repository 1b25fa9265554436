const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** The agent this page talks to, from `?agent=` of its address; it stays the same as long as the page does. */
export const AGENT_ID =
  new URLSearchParams(globalThis.location?.search ?? "").get("agent") || "main";

/**
 * The name under which something of this agent's conversations is kept on the device.
 * @param {string} name
 */
export const kept = (name) => (AGENT_ID === "main" ? name : `${name}@${AGENT_ID}`);

/** The draft that the `?skill=` of a link from elsewhere asks to be reviewed, once; `null`: none. */
export function takeSkill() {
  const query = new URLSearchParams(location.search);
  const name = query.get("skill");
  if (name === null) return null;
  query.delete("skill");
  const rest = query.size === 0 ? "" : `?${query}`;
  history.replaceState(null, "", `${location.pathname}${rest}${location.hash}`);
  return name;
}

/** Turns the `?session=` of a link from elsewhere into the page's own way to say it. */
export function takeLink() {
  const query = new URLSearchParams(location.search);
  const session = query.get("session");
  if (session === null) return;
  query.delete("session");
  const rest = query.size === 0 ? "" : `?${query}`;
  history.replaceState(null, "", `${location.pathname}${rest}${hrefOf(session)}`);
}

/** Whether a conversation could be called so. @param {string} text */
export const isSessionId = (text) => SESSION_ID.test(text);

/** Where a conversation is, from here; empty for a new one. @param {string} session */
export const hrefOf = (session) => (session === "" ? "#" : `#/${encodeURIComponent(session)}`);

/**
 * What the address opens: a conversation, a new one (`null`), or `"nothing"` where it names none that could be.
 * @returns {{ session: string } | "nothing" | null}
 */
export function opened() {
  const name = /^#\/(.+)$/.exec(location.hash)?.[1] ?? null;
  if (name === null) return null;
  const session = decoded(name);
  return session !== null && isSessionId(session) ? { session } : "nothing";
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
