export type SessionRoute = {
  readonly method: string;
  /** After the session's address. */
  readonly path: string;
  readonly body?: unknown;
  /** Whether it may change something. */
  readonly isWrite?: true;
};

/** Every native route of a session, each with a request that is sound. */
export const sessionRoutes: readonly SessionRoute[] = [
  { method: "GET", path: "" },
  { method: "GET", path: "/events" },
  { method: "GET", path: "/state" },
  { method: "GET", path: "/permissions" },
  { method: "GET", path: "/mode" },
  { method: "POST", path: "/turns", body: { message: "hi" }, isWrite: true },
  { method: "POST", path: "/stop", body: {}, isWrite: true },
  { method: "POST", path: "/clear", body: {}, isWrite: true },
  {
    method: "POST",
    path: "/calls/call_2_0",
    body: { decision: "approve", digest: "0".repeat(64) },
    isWrite: true,
  },
  { method: "PUT", path: "/permissions", body: { mode: "EXPLORE" }, isWrite: true },
  { method: "PUT", path: "/mode", body: { mode: "EXPLORE" }, isWrite: true },
  { method: "GET", path: "/plan" },
  { method: "PUT", path: "/plan", body: { active: true }, isWrite: true },
  { method: "GET", path: "/todos" },
  { method: "GET", path: "/tasks" },
  { method: "GET", path: "/tasks/task_1" },
  { method: "POST", path: "/tasks/task_1/cancel", body: {}, isWrite: true },
  { method: "PUT", path: "/state", body: { context: [] }, isWrite: true },
  { method: "PATCH", path: "", body: { title: "x" }, isWrite: true },
  { method: "DELETE", path: "", isWrite: true },
];
