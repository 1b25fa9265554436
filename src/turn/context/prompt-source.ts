import { assemblePrompt, promptTags } from "../../context/prompt.ts";
import { snapshotRequest, type PromptOptions } from "../../context/prompt-sources.ts";
import type { Section } from "../../context/sections.ts";
import { dayIn } from "../../shared/time-zone.ts";
import type { Snapshot } from "../../shared/workspace-snapshot.ts";
import type { TurnScope } from "../capability.ts";
import { LostTurn } from "../core.ts";

type Assembled = {
  readonly snapshot: Snapshot | null;
  readonly sections: readonly Section[];
  readonly zone: string;
  readonly day: string;
  readonly text: string;
};

/**
 * One session's system prompt, turn after turn. Lives as long as the session's object and keeps the newest snapshot
 * of the workspace with the prompt made from it, so that a turn in which nothing changed costs one short call.
 */
export class PromptSource {
  readonly #options: PromptOptions;
  #snapshot: Snapshot | null = null;
  #last: Assembled | null = null;

  constructor(options: PromptOptions) {
    this.#options = options;
  }

  /**
   * The workspace's files as they are now, in one call; `null`, without one, when nobody wants any. Rejects as
   * the call does (what cannot be read is never "no files"), and with `LostTurn` once the turn is over.
   */
  async load({ workspace, signal }: TurnScope): Promise<Snapshot | null> {
    const request = snapshotRequest(this.#options, this.#snapshot?.version ?? null);
    if (!request) return null;
    const answer = await untilAborted(workspace.snapshot(request), signal);
    if (answer !== "unchanged") this.#snapshot = answer;
    if (!this.#snapshot) throw new Error("a snapshot is unchanged that nobody has");
    return this.#snapshot;
  }

  /** The tags of such a prompt, which no text in it or beside it may open or close. */
  tags(sections: readonly Section[]): readonly string[] {
    return promptTags(this.#options, sections);
  }

  /** The prompt of a turn. Made anew only when a source changed or a day began where the person is: the same bytes else (promise C3). */
  assemble(files: Snapshot | null, sections: readonly Section[], scope: TurnScope): string {
    const { zone } = scope;
    const snapshot = this.#options.hasWorkspace ? files : null;
    const date = scope.now();
    const day = dayIn(zone, date);
    const last = this.#last;
    const isSameDay = last?.day === day && last.zone === zone;
    if (isSameDay && last.snapshot === snapshot && areEqual(last.sections, sections))
      return last.text;
    const { session: sessionId } = scope.address;
    const sources = { ...this.#options, snapshot, sections, sessionId, date, zone };
    const { text } = assemblePrompt(sources);
    this.#last = { snapshot, sections, zone, day, text };
    return text;
  }
}

const areEqual = (a: readonly Section[], b: readonly Section[]): boolean =>
  a.length === b.length &&
  a.every((one, at) => {
    const other = b[at];
    const isSame = one.name === other?.name && one.layer === other.layer;
    const isSameText = isSame && one.text === other.text && one.unlisted === other.unlisted;
    return isSameText && isSameList(one.entries, other.entries);
  });

const isSameList = (a: Section["entries"], b: Section["entries"]): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b);

/** `work`, or a `LostTurn` as soon as `signal` aborts: then nobody waits for it. */
function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(new LostTurn());
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
  });
}
