/** A defect that someone could plant in the code that keeps promises, and the test that must notice. */
export type Mutant = {
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The name of the test, without that of its `describe`, and the file that it is in. */
  readonly test: string;
  readonly in: string;
  /** Default `node`. */
  readonly project?: "node" | "worker";
};

/** The source with the defect in it. Throws when the place is not there, or not alone. */
export function plant({ name, find, replace }: Mutant, source: string): string {
  const parts = source.split(find);
  if (parts.length !== 2)
    throw new Error(`${name}: its place stands ${parts.length - 1} times in the file`);
  return parts.join(replace);
}

const turn = "test/turn";

export const mutants: readonly Mutant[] = [
  {
    name: "a tool runs without its intent",
    file: "src/turn/calls/tool-calls.ts",
    find: `tx.append(turn.id, { kind: "intent", call: call.call, name: call.name });`,
    replace: "",
    test: "[T5] is never run again when it is unsafe, and the model is told that its outcome is unknown",
    in: `${turn}/recovery.test.ts`,
  },
  {
    name: "an interrupted unsafe call is run again",
    file: "src/turn/calls/tool-calls.ts",
    find: `if (isBegun && tool.replay === "unsafe") return unknownOutcome();`,
    replace: "",
    test: "[T5] is never run again when it is unsafe, and the model is told that its outcome is unknown",
    in: `${turn}/recovery.test.ts`,
  },
  {
    name: "nobody looks whose turn it is after a probe",
    file: "src/turn/calls/tool-calls.ts",
    find: `    if (!isDriver(core.sql, turn.id, core.epoch)) throw new LostTurn();
  } else if (tool.replay`,
    replace: `  } else if (tool.replay`,
    test: "[T5] runs no call of it again, though its probe said that it had not run",
    in: `${turn}/replaced-object.test.ts`,
  },
  {
    name: "a step is stored by an object that has been replaced",
    file: "src/turn/step.ts",
    find: `    if (!isDriver(core.sql, turn.id, core.epoch)) throw new LostTurn();
    append(tx);`,
    replace: `    append(tx);`,
    test: "[T2] stores no step of it",
    in: `${turn}/replaced-object.test.ts`,
  },
  {
    name: "events are emitted before the commit",
    file: "src/turn/core.ts",
    find: `      entries.push(entry);
      return entry;`,
    replace: `      entries.push(entry);
      this.journal.publish([entry]);
      entries.pop();
      return entry;`,
    test: "keep every promise, 1 to 499",
    in: "test/simulation/odd-seeds.test.ts",
  },
  {
    name: "a used key takes another message",
    file: "src/turn/line/inbox.ts",
    find: `if (known?.digest !== digest) throw keyReused();`,
    replace: `if (!known) throw keyReused();`,
    test: "[T3] with a used key and another body is refused, in every state of the turn",
    in: `${turn}/inbox.test.ts`,
  },
  {
    name: "an acceptance leaves no job",
    file: "src/turn/line/inbox.ts",
    find: `addJob(core.sql, { ...jobAt(core), id: turnJob(id), kind: "drive", payload: id });`,
    replace: "",
    test: "[T1] is stored, with its job and an alarm, when its acceptance returns",
    in: `${turn}/inbox.test.ts`,
  },
  {
    name: "a client's history is believed",
    file: "src/turn/line/inbox.ts",
    find: `if (request.claimed) checkClaimed(core, request.claimed);`,
    replace: "",
    test: "[T13] that claims a history this session did not make is refused whole",
    in: `${turn}/inbox.test.ts`,
  },
  {
    name: "no alarm stands behind a driver",
    file: "src/turn/session.ts",
    find: `    this.#core.platform.setAlarm(this.#core.clock.now() + DEAD_MAN_MS);
    this.#driver.start();`,
    replace: `    this.#driver.start();`,
    test: "stands 30 s ahead while a turn runs",
    in: `${turn}/session.test.ts`,
  },
  {
    name: "the strike is not durable before the session is loaded",
    file: "src/turn/driver.ts",
    find: `    await core.platform.sync();`,
    replace: "",
    test: "[T7] waits until the strike is durable before it loads anything",
    in: `${turn}/recovery.test.ts`,
  },
  {
    name: "a takeover does not count",
    file: "src/session/turns.ts",
    find: `strikes = strikes + 1`,
    replace: `strikes = strikes`,
    test: "[T7] is given up when loading it ended the object three times, and the next message is answered",
    in: `${turn}/recovery.test.ts`,
  },
  {
    name: "a turn ends twice",
    file: "src/session/turns.ts",
    find: ` AND (state IN ('queued', 'running', 'waiting') OR input IS NOT NULL)`,
    replace: "",
    test: "[T2] ends once",
    in: "test/session/turns.test.ts",
  },
  {
    name: "what a dead attempt had shown is not taken back",
    file: "src/turn/driver.ts",
    find: `        attempt: isInStep ? turn.attempt : null,`,
    replace: `        attempt: null,`,
    test: "keep every promise, 1 to 499",
    in: "test/simulation/odd-seeds.test.ts",
  },
  {
    name: "a reader gets an event twice",
    file: "src/session/event-log.ts",
    find: `} else if (entry.seq > at.seq) {`,
    replace: `} else if (entry.seq >= at.seq) {`,
    test: "[S1] gives exactly the rest from each of its ids on, in pages of any size",
    in: "test/session/event-log.test.ts",
  },
  {
    name: "a stop leaves open calls without results",
    file: "src/turn/settle.ts",
    find: `    entries.push(...cutShort(core, { turn, end, why }, entries, tx));`,
    replace: `    void cutShort;`,
    test: "[T9] settles the calls that are open: one that runs as unknown, one that does not as interrupted",
    in: `${turn}/session.test.ts`,
  },
  {
    name: "the digest of an approval is ignored",
    file: "src/turn/calls/gate.ts",
    find: `answered?.answer === "approved" && answered.digest === digest`,
    replace: `answered?.answer === "approved"`,
    test: "[A4] asks again when the tool changed while it waited, and runs only what was approved then",
    in: `${turn}/parked-calls.test.ts`,
  },
  {
    name: "a second answer counts too",
    file: "src/turn/calls/answer.ts",
    find: `const isOpen = !answered && `,
    replace: `const isOpen = `,
    test: "[A5] twenty at once for each of 200 calls run each tool once",
    in: `${turn}/answer.test.ts`,
  },
  {
    name: "permissions are not asked again when a call is about to run",
    file: "src/turn/calls/gate.ts",
    find: `  if (decision.kind === "deny")
    return settle(isBegun ? unknownOutcome() : forbidden(decision.reason));`,
    replace: "",
    test: "[A4] is denied when the operator forbids it meanwhile, although it was approved",
    in: `${turn}/parked-calls.test.ts`,
  },
  {
    name: "what is asked may run meanwhile",
    file: "src/turn/calls/gate.ts",
    find: `  return { kind: "parked" };`,
    replace: `  return null;`,
    test: "[A4] that leaves them asked about asks nothing anew: the question that was seen is answered",
    in: `${turn}/permissions.test.ts`,
  },
  {
    name: "a question lasts for ever",
    file: "src/turn/calls/park.ts",
    find: `  setDue(core.sql, turnJob(turn.id), expiresAt);`,
    replace: "",
    test: "[T2, A6] is settled as denied after seven days, by the alarm alone, and the turn goes on",
    in: `${turn}/expiry.test.ts`,
  },
  {
    name: "a rule for always is forgotten",
    file: "src/turn/calls/answer.ts",
    find: `const isChanged = kept !== null && keepRules(core, tx, kept, by);`,
    replace: `const isChanged = kept === null && keepRules(core, tx, { allow: [], deny: [] }, by);`,
    test: "[A7] keeps its rule for the next turn, and says that it did",
    in: `${turn}/always.test.ts`,
  },
  {
    name: "a message in the place of an approval leaves it open",
    file: "src/turn/line/while-busy.ts",
    find: `const waits = begun?.state === "waiting" && approvals.length === pending.length;`,
    replace: `const waits = begun?.state === "waiting" && approvals.length > pending.length;`,
    test: "[A8]",
    in: `${turn}/while-busy.test.ts`,
  },
  {
    name: "a message that steers stays in line too",
    file: "src/turn/line/steer.ts",
    find: `      removeJob(core.sql, turnJob(id));`,
    replace: "",
    test: "[T8] is taken into the turn before its next step, which answers it",
    in: `${turn}/steer.test.ts`,
  },
  {
    name: "allow rules go before deny rules",
    file: "src/permissions/decide.ts",
    find: `  if (stops(operator) || stops(session)) return deny("deny rule", forbidden(tool.name));
  if (gate`,
    replace: `  if ([...operator.allow, ...session.allow].some((rule) => covers(rule, seen)))
    return allow("allow rule");
  if (stops(operator) || stops(session)) return deny("deny rule", forbidden(tool.name));
  if (gate`,
    test: "[A1] denies what a deny rule is for, whatever else there is",
    in: "test/permissions/decide-properties.test.ts",
  },
  {
    name: "an append is done twice",
    file: "src/workspace/change/ops.ts",
    find: `return row ? (JSON.parse(row.answer) as Answer) : null;`,
    replace: `return row && op === "" ? (JSON.parse(row.answer) as Answer) : null;`,
    test: "[W9] is done once, whatever comes with it, and the rest of its request is done",
    in: "test/workspace/change/ops.test.ts",
  },
  {
    name: "the digest leaves the arguments out",
    file: "src/turn/calls/gate.ts",
    find: `  return callDigest({ tool: seen, input, operator: { allow, ask, deny } });`,
    replace: `  return callDigest({ tool: seen, input: typeof input, operator: { allow, ask, deny } });`,
    test: "[A4] with other arguments runs those, under a digest of their own, and shows them",
    in: `${turn}/answer.test.ts`,
  },
  {
    name: "a message that takes the place of a turn leaves it running",
    file: "src/turn/line/while-busy.ts",
    find: `const stops = request.whenBusy === "replace" || (waits && queued.steers === null);`,
    replace: `const stops = waits && queued.steers === null;`,
    test: "[T8, T9] stops the turn that runs, keeps what it said, and is answered",
    in: `${turn}/while-busy.test.ts`,
  },
  {
    name: "a message steers whatever turn comes next",
    file: "src/turn/line/steer.ts",
    find: `message.steers !== turn.id`,
    replace: `message.steers === null`,
    test: "[T8] is for the turn that it came in, and not for one that waits in line before it",
    in: `${turn}/steer.test.ts`,
  },
  {
    name: "a deleted session answers",
    file: "src/turn/session.ts",
    find: `    if (this.#core.isDeleted) throw sessionGone();`,
    replace: "",
    test: "[R3] at rest leaves one row, of its hash and the time, and no alarm, and answers gone for ever",
    in: `${turn}/remove.test.ts`,
  },
];
