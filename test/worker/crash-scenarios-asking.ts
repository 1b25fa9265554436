import type { Asked, Cast, Scenario } from "./crash-lab.ts";

const approve = ({ digest }: Asked) => ({ decision: "approve", digest }) as const;
const deny = ({ digest }: Asked) => ({ decision: "deny", digest, reason: "No." }) as const;

/** A turn with one call that is asked about, answered as `decide` says; then the model says `end`. */
const oneCall =
  (tool: string, decide: Parameters<Cast["answering"]>[0], end: string): Scenario["run"] =>
  async ({ client, key, say, call, answering }) => {
    const { onEvent, over } = answering(decide);
    await client.talk(key(1), say({ calls: [call(tool, "c1")] }, { text: end }), onEvent);
    await over();
  };

/** Everything that a call which waits for someone can be interrupted in. */
export const askingScenarios: readonly Scenario[] = [
  {
    name: "an approval",
    agent: "asking",
    run: oneCall("unsafe_thing", approve, "Done."),
    outcomes: "completed",
  },
  {
    name: "a plan that is approved, and to-dos",
    agent: "asking",
    async run({ client, key, say, call, answering }) {
      const { onEvent, over } = answering(approve);
      const tool = (name: string, input: object) => ({ name, input: JSON.stringify(input) });
      const todos = [{ content: "One", status: "in_progress" }];
      await client.talk(
        key(1),
        say(
          { calls: [tool("plan_enter", {}), call("keyed_thing", "k")] },
          { calls: [tool("plan_write", { content: "Do it." }), tool("todo_write", { todos })] },
          { calls: [tool("plan_exit", {})] },
          { text: "Done." },
        ),
        onEvent,
      );
      await over();
    },
    outcomes: "completed",
  },
  {
    name: "a refusal",
    agent: "asking",
    run: oneCall("unsafe_thing", deny, "Not done."),
    outcomes: "completed",
  },
  {
    name: "an approval that is said three times, and a refusal beside it",
    agent: "asking",
    run: oneCall(
      "keyed_thing",
      (event) => [approve(event), approve(event), deny(event), approve(event)],
      "So.",
    ),
    outcomes: "completed",
  },
  {
    name: "a step of calls that are asked about and calls that are not",
    agent: "asking",
    async run({ client, key, say, call, answering }) {
      const { onEvent, over } = answering((event) =>
        event.name === "probed_thing" ? deny(event) : approve(event),
      );
      const calls = [
        call("read_thing", "r1"),
        call("unsafe_thing", "u1"),
        call("probed_thing", "p1"),
        call("read_thing", "r2"),
        call("unsafe_thing", "u2"),
      ];
      await client.talk(key(1), say({ calls }, { text: "All settled." }), onEvent);
      await over();
    },
    outcomes: "completed",
  },
  {
    name: "an approval of other arguments",
    agent: "asking",
    async run({ client, key, say, call, answering }) {
      const { onEvent, over } = answering((event) => ({
        ...approve(event),
        input: { label: `${key(1)}/edited` },
      }));
      await client.talk(
        key(1),
        say({ calls: [call("unsafe_thing", "u1")] }, { text: "Done." }),
        onEvent,
      );
      await over();
    },
    outcomes: "completed",
  },
  {
    name: "an approval for always, and the next turn",
    agent: "asking",
    async run({ client, key, say, call, answering }) {
      const { onEvent, over } = answering((event) => ({
        ...approve(event),
        always: [{ tool: "unsafe_thing" }],
      }));
      await client.talk(
        key(1),
        say({ calls: [call("unsafe_thing", "u1")] }, { text: "Done." }),
        onEvent,
      );
      await over();
      await client.talk(key(2), say({ calls: [call("unsafe_thing", "u2")] }, { text: "Again." }));
    },
    outcomes: "completed,completed",
  },
  {
    name: "a message in the place of an approval",
    agent: "asking",
    async run({ client, key, say, call }) {
      const next: Promise<void>[] = [];
      await client.talk(
        key(1),
        say({ calls: [call("unsafe_thing", "u1")] }, { text: "Never" }),
        ({ type }) => {
          if (type === "turn-waiting" && next.length === 0)
            next.push(client.talk(key(2), say({ text: "Something else.", batches: 1 })));
        },
      );
      await Promise.all(next);
    },
    outcomes: "stopped,completed",
  },
  {
    name: "a stop in the place of an approval, said twice",
    agent: "asking",
    async run({ client, key, say, call }) {
      const stops: Promise<void>[] = [];
      await client.talk(
        key(1),
        say({ calls: [call("unsafe_thing", "u1")] }, { text: "Never" }),
        ({ type }) => {
          if (type === "turn-waiting" && stops.length === 0)
            stops.push(client.stop(key(1)), client.stop());
        },
      );
      await Promise.all(stops);
      await client.talk(key(2), say({ text: "Yes?", batches: 1 }));
    },
    outcomes: "stopped,completed",
  },
  {
    name: "another mode while a call waits",
    agent: "asking",
    async run({ client, key, say, call }) {
      const changes: Promise<void>[] = [];
      await client.talk(
        key(1),
        say({ calls: [call("unsafe_thing", "u1")] }, { text: "Done." }),
        ({ type }) => {
          if (type === "turn-waiting" && changes.length === 0)
            changes.push(client.change("PUT", "/mode", { mode: "BYPASS" }));
        },
      );
      await Promise.all(changes);
    },
    outcomes: "completed",
  },
  {
    name: "tools that the client runs",
    agent: "client-tool",
    async run({ client, key, say, call, answering }) {
      const { onEvent, over } = answering(({ digest, call: id, what }) =>
        what === "client" ? { result: `did ${id}`, digest } : { decision: "approve", digest },
      );
      const calls = [call("locate", "c1"), call("unsafe_thing", "u1"), call("locate", "c2")];
      await client.talk(key(1), say({ calls }, { text: "Done." }), onEvent);
      await over();
    },
    outcomes: "completed",
  },
  {
    name: "messages that steer a turn",
    async run({ client, key, say, call }) {
      const steers: Promise<void>[] = [];
      const body = say({ calls: [call("keyed_thing", "k1")] }, { text: "First.", batches: 2 });
      await client.talk(key(1), body, ({ type }) => {
        if (type !== "step-start" || steers.length > 0) return;
        for (const no of [2, 3])
          steers.push(
            client.talk(key(no), { ...say({ text: `then ${no}`, batches: 1 }), whenBusy: "steer" }),
          );
      });
      await Promise.all(steers);
    },
    outcomes: /^completed,(completed|steered),(completed|steered)$/,
  },
  {
    name: "a message that takes the place of a turn",
    async run({ client, key, say }) {
      const next: Promise<void>[] = [];
      await client.talk(key(1), say({ text: "On and on", hang: true }), ({ type }) => {
        if (type === "text" && next.length === 0)
          next.push(
            client.talk(key(2), { ...say({ text: "This.", batches: 1 }), whenBusy: "replace" }),
          );
      });
      await Promise.all(next);
    },
    outcomes: "stopped,completed",
  },
  {
    name: "a conversation that begins anew under another name",
    async run({ client, key, say }) {
      await client.talk(key(1), say({ text: "Old.", batches: 1 }));
      await client.change("PATCH", "", { title: "Anew" });
      await client.change("POST", "/clear", {});
      await client.talk(key(2), say({ text: "New.", batches: 1 }));
    },
    outcomes: "completed,completed",
  },
];
