// What is measured. A file passed with --targets adds more: a list of
//   { name, kind: "sse" | "ws", health, start(port, directory, mockUrl), request(turn) | ws }, and a port if it must be that
//   start gives { cmd, args, cwd, env } of its server; the provider to call is at mockUrl + "/v1"
//   request({ base, userId, sessionId, text }) gives { path, headers, body } of one POST; the answer is a stream
//   ws: url(session), frame({ text, id, history }), mine(frame, id), done(frame, id), and with full: true (the client
//   sends its whole transcript each time) assistant(frames), the message to remember
// `text` must reach the model unchanged as the last user message, and there must be a tool get_time({ tz }).
import { fileURLToPath } from "node:url";
import { workerdStart } from "./workerd.mjs";

const worker = (name) => fileURLToPath(new URL(`worker/${name}`, import.meta.url));

const json = { "content-type": "application/json" };

const carrelSettings = {
  objects: { SESSIONS: "SessionObject", WORKSPACES: "WorkspaceObject", REGISTRY: "RegistryObject" },
  vars: (mockUrl) => ({
    MODEL: "openai-compatible:mock",
    OPENAI_COMPATIBLE_BASE_URL: `${mockUrl}/v1`,
    OPENAI_COMPATIBLE_API_KEY: "x",
  }),
};

const floorSettings = {
  objects: { FloorObject: "FloorObject", FloorSocketObject: "FloorSocketObject" },
  vars: (mockUrl) => ({ MOCK_URL: mockUrl }),
};

/** Carrel and the two floors, from their bundles. `counted` puts a counter in front of their storage. */
export function ownTargets(bundles) {
  const of = (name, bundle, counter, settings, rest) => ({
    name,
    start: workerdStart([{ name: "main.js", file: bundle }], settings),
    counted: workerdStart(
      [
        { name: counter, file: worker(counter) },
        { name: "counted.mjs", file: worker("counted.mjs") },
        { name: "main.js", file: bundle },
      ],
      settings,
    ),
    profiled: (flags) => workerdStart([{ name: "main.js", file: bundle }], settings, flags),
    bundle,
    ...rest,
  });
  return [
    of("carrel", bundles.carrel, "counted-carrel.mjs", carrelSettings, {
      kind: "sse",
      request: ({ userId, sessionId, text }) => ({
        path: `/v1/agents/bench/sessions/${sessionId}/turns`,
        headers: { ...json, accept: "text/event-stream", "x-carrel-user": userId },
        body: JSON.stringify({ message: text }),
      }),
    }),
    of("floordo", bundles.floor, "counted-floor.mjs", floorSettings, {
      kind: "sse",
      request: ({ userId, sessionId, text }) => ({
        path: "/chat",
        headers: json,
        body: JSON.stringify({ userId, sessionId, message: text }),
      }),
    }),
    of("floorws", bundles.floor, "counted-floor.mjs", floorSettings, {
      kind: "ws",
      ws: {
        url: ({ base, userId, sessionId }) =>
          `${base.replace("http", "ws")}/socket/${userId}/${sessionId}`,
        frame: ({ text, id }) => JSON.stringify({ id, text }),
        mine: (frame, id) => frame.includes(id),
        done: (frame) => frame.includes('"done":true'),
      },
    }),
  ];
}

/** A Worker that does nothing, and the product as it is deployed: for what starting costs. */
export function startTargets(bundles) {
  const nothing = { objects: {}, vars: () => ({}) };
  const empty = [{ name: "empty.mjs", file: worker("empty.mjs") }];
  const product = [{ name: "index.js", file: bundles.product }];
  return {
    empty: { name: "empty", start: workerdStart(empty, nothing) },
    product: {
      name: "product",
      start: workerdStart(product, { ...carrelSettings, vars: () => ({ MODEL: "offline" }) }),
    },
  };
}
