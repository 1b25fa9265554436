import type { Scenario } from "./crash-lab.ts";

/** Everything that a turn which asks nobody can be interrupted in. */
export const scenarios: readonly Scenario[] = [
  {
    name: "a text turn",
    run: ({ client, key, say }) => client.talk(key(1), say({ text: "It was a dark night." })),
    outcomes: "completed",
  },
  {
    name: "a tool of each replay class",
    run: ({ client, key, say, call }) =>
      client.talk(
        key(1),
        say(
          { text: "Reading.", batches: 1, calls: [call("read_thing", "r1")] },
          { calls: [call("keyed_thing", "k1")] },
          { calls: [call("probed_thing", "p1")] },
          { calls: [call("unsafe_thing", "u1")] },
          { text: "Done.", batches: 2 },
        ),
      ),
    outcomes: "completed",
  },
  {
    name: "parallel tools",
    run: ({ client, key, say, call }) =>
      client.talk(
        key(1),
        say(
          {
            text: "All at once.",
            batches: 1,
            calls: [
              call("read_thing", "r1"),
              call("keyed_thing", "k1"),
              call("read_thing", "r2"),
              call("unsafe_thing", "u1"),
              call("keyed_thing", "k2"),
              call("no_such_thing", "n1"),
              { name: "read_thing", input: '{"label": 7' },
            ],
          },
          { text: "Done.", batches: 1 },
        ),
      ),
    outcomes: "completed",
  },
  {
    name: "a provider error that fails the turn, and a turn after it",
    async run({ client, key, say }) {
      await client.talk(key(1), say({ text: "I will now fail.", fail: "model_bad_request" }));
      await client.talk(key(2), say({ text: "Better.", batches: 1 }));
    },
    outcomes: "failed,completed",
  },
  {
    name: "a retry in mid-stream",
    run: ({ client, key, say, call }) =>
      client.talk(
        key(1),
        say(
          { text: "Once", fail: "unavailable", failTimes: 1, calls: [call("unsafe_thing", "u1")] },
          { fail: "rate_limited", failTimes: 1, text: "There it is.", batches: 2 },
        ),
      ),
    outcomes: "completed",
  },
  {
    name: "a stop in mid-answer, said twice",
    async run({ client, key, say }) {
      const stops: Promise<void>[] = [];
      await client.talk(key(1), say({ text: "On and on", hang: true }), ({ type }) => {
        if (type === "text" && stops.length === 0) stops.push(client.stop(), client.stop(key(1)));
      });
      await Promise.all(stops);
      await client.talk(key(2), say({ text: "Yes?", batches: 1 }));
    },
    outcomes: "stopped,completed",
  },
  {
    name: "a stop while tools run",
    async run({ client, key, say, call }) {
      const stops: Promise<void>[] = [];
      const calls = [
        call("read_thing", "r1"),
        call("keyed_thing", "k1"),
        call("unsafe_thing", "u1"),
        call("unsafe_thing", "u2"),
      ];
      await client.talk(key(1), say({ calls }, { text: "Never", hang: true }), ({ type }) => {
        if (type === "step-end" && stops.length === 0) stops.push(client.stop(key(1)));
      });
      await Promise.all(stops);
    },
    outcomes: "stopped",
  },
  {
    name: "two queued messages",
    async run({ client, key, say, call }) {
      const talks: Promise<void>[] = [];
      await client.talk(key(1), say({ text: "The first" }), ({ type }) => {
        if (type !== "turn-start") return;
        const two = say({ calls: [call("unsafe_thing", "u2")] }, { text: "two", batches: 1 });
        talks.push(client.talk(key(2), two));
        talks.push(client.talk(key(3), say({ text: "three", batches: 1 })));
      });
      await Promise.all(talks);
    },
    outcomes: "completed,completed,completed",
  },
  {
    name: "a queued message that is stopped",
    async run({ client, key, say }) {
      const queued: Promise<void>[] = [];
      const queue = async () => {
        await client.post(key(2), say({ text: "Never mind" }));
        await client.stop(key(2));
        await client.stop(key(1));
      };
      await client.talk(key(1), say({ text: "It takes long", hang: true }), ({ type }) => {
        if (type === "text" && queued.length === 0) queued.push(queue());
      });
      await Promise.all(queued);
      await client.talk(key(3), say({ text: "Here.", batches: 1 }));
    },
    outcomes: "stopped,stopped,completed",
  },
  {
    name: "a message that is sent again while its turn runs",
    async run({ client, key, say, call }) {
      const body = say({ text: "Heard", calls: [call("unsafe_thing", "u1")] }, { text: "twice" });
      const again: Promise<void>[] = [];
      await client.talk(key(1), body, ({ type }) => {
        if (type === "text" && again.length === 0) again.push(client.talk(key(1), body));
      });
      await Promise.all(again);
    },
    outcomes: "completed",
  },
  {
    name: "another answer, and a look at it",
    async run({ client, key, say, call }) {
      const one = say({ calls: [call("keyed_thing", "k1")] }, { text: "One", batches: 1 });
      await client.talk(key(1), one);
      await client.talk(key(2), say({ text: "two", batches: 1 }));
      await client.talk(key(3), { regenerate: true });
      await client.history();
      await client.state();
    },
    outcomes: "completed,completed,completed",
  },
  {
    name: "several steps with reasoning, and a second reader",
    async run({ client, key, say, call }) {
      const following = client.follow((event) => event.type === "turn-end");
      const two = [call("probed_thing", "p1"), call("keyed_thing", "k1")];
      await client.talk(
        key(1),
        say(
          { reasoning: "I look.", text: "So.", batches: 1, calls: [call("read_thing", "r1")] },
          { reasoning: "Then I do.", calls: two },
          { reasoning: "That was it.", text: "Done.", batches: 2 },
        ),
      );
      await following;
    },
    outcomes: "completed",
  },
  {
    name: "turns that nobody watches",
    async run({ client, key, say, call, settle }) {
      await client.post(key(1), say({ calls: [call("unsafe_thing", "u1")] }, { text: "gone" }));
      await client.post(key(2), say({ text: "also gone", batches: 1 }));
      await settle();
    },
    outcomes: "completed,completed",
  },
  {
    name: "a long answer that is stopped, and what it does to the context",
    async run({ client, key, say }) {
      const stop: Promise<void>[] = [];
      let size = 0;
      const answer = { text: "So it goes. ", repeat: 28_000, batches: 3, hang: true };
      await client.talk(key(1), say(answer), (event) => {
        if (event.type === "text") size += event.text.length;
        const isAll = size >= answer.text.length * answer.repeat;
        if (isAll && stop.length === 0) stop.push(client.stop());
      });
      await Promise.all(stop);
      await client.talk(key(2), say({ text: "Short.", batches: 1 }));
    },
    outcomes: "stopped,completed",
  },
  {
    name: "turns that leave work behind",
    agent: "after",
    async run({ client, key, say, call }) {
      await client.talk(key(1), say({ calls: [call("read_thing", "r1")] }, { text: "One" }));
      await client.talk(key(2), say({ text: "Two", fail: "model_auth", batches: 1 }));
    },
    outcomes: "completed,failed",
  },
];
