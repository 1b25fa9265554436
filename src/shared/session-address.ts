/** Who speaks to a session. Derived from the verified principal and the route, never from a body. */
export type SessionAddress = {
  readonly agent: string;
  readonly user: string;
  readonly session: string;
};
