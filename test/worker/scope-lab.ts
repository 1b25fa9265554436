import { bucketPrefix, type BucketKey } from "../../src/shared/bucket-key.ts";
import type { SessionEvent } from "../../src/shared/events.ts";
import type { ContentPart } from "../../src/shared/messages.ts";
import type { IsolationScope } from "../../src/workspace/workspace.ts";
import { scopedAgents } from "../support/agents.ts";
import { outside } from "../support/outside.ts";
import { script } from "../support/scripted-model.ts";
import { say, type AskAs, type Speaker } from "./callers.ts";
import { ask as askBucket } from "./workspace-object.ts";

export const users: readonly string[] = ["ann", "bob"];
const sessions: readonly string[] = ["s1", "s2"];

/** Two users, in two sessions each, of the two agents of a scope. */
export const speakersIn = (scope: IsolationScope): Speaker[] =>
  scopedAgents[scope].flatMap((agent) =>
    users.flatMap((user) => sessions.map((session) => ({ agent, user, session }))),
  );

/** Those who share files have the same. */
export function groupOf(scope: IsolationScope, { agent, user, session }: Speaker): string {
  const groups = {
    SESSION: `${agent}_${user}_${session}`,
    USER: `${agent}_${user}`,
    AGENT: agent,
    GLOBAL: "all",
  };
  return `group-of-${groups[scope]}.`;
}

export const nameOf = ({ agent, user, session }: Speaker): string => `${agent}_${user}_${session}`;

/** The address of a file route for a speaker, with its session. */
export const filesOf = ({ agent, session }: Speaker, path = "", query = ""): string =>
  `/v1/agents/${agent}/files/${path}?session=${session}${query}`;

export type Call = { readonly name: string; readonly input: object };

/** What came of tools that were called in one step of a turn of their own, in order. */
export async function resultsOf(
  ask: AskAs,
  speaker: Speaker,
  calls: readonly Call[],
): Promise<{ readonly status: string; readonly text: string }[]> {
  const step = calls.map(({ name, input }) => ({ name, input: JSON.stringify(input) }));
  const events = await say(ask, speaker, script({ calls: step }, { text: "Done." }));
  const starts = events.filter((event) => event.type === "tool-call-start");
  return starts.map(({ call }) => {
    const isOf = (event: SessionEvent) => event.type === "tool-result" && event.call === call;
    const result = events.find(isOf);
    if (result?.type !== "tool-result") throw new Error("a call without a result");
    return { status: result.status, text: textOf(result.content) };
  });
}

/** The texts that tools gave; `null` for an error. */
export async function useTools(
  ask: AskAs,
  speaker: Speaker,
  calls: readonly Call[],
): Promise<(string | null)[]> {
  const results = await resultsOf(ask, speaker, calls);
  return results.map(({ status, text }) => (status === "success" ? text : null));
}

const textOf = (content: readonly ContentPart[]): string =>
  content.map((part) => (part.type === "text" ? part.text : part.data)).join("\n");

/** The prompt of a turn of this speaker. */
export async function promptOf(ask: AskAs, speaker: Speaker): Promise<string> {
  const { requests } = outside().witness;
  const before = requests.length;
  await say(ask, speaker, "Hello.");
  return requests[before]?.system ?? "";
}

/** The paths of what a bucket itself holds. */
export async function ownPathsIn(bucket: BucketKey): Promise<string[]> {
  const { entries } = await askBucket(bucket, (api, key) =>
    api.tree(key, { recursive: true, layer: "own" }),
  );
  return entries.map(({ path }) => path);
}

/** The bucket with a user's records, whatever the scope. */
export const recordsOf = ({ agent, user }: Speaker): BucketKey =>
  bucketPrefix({ scope: "USER", agent, user });

/** The bucket that the scope gives a speaker for everything else. */
export function homeOf(scope: IsolationScope, speaker: Speaker): BucketKey {
  return bucketPrefix({ scope, ...speaker });
}
