import * as z from "zod";
import { stagingOf } from "../index-file.ts";
import type { SkillRepository } from "../repository.ts";
import { CLAIM_MS } from "./due.ts";
import { isConflict, type KeptText } from "./kept-files.ts";
import { BY, type SyncParts } from "./parts.ts";

/** Says who asks a repository now, so that many sessions ask it once. */
export const claimPath = (repository: SkillRepository): string =>
  `${stagingOf(repository)}/claim.json`;

const Claim = z.object({ at: z.number() });

/** Until when somebody else's claim holds (ms); 0: there is none. One that nobody can have made yet does not count. */
export function claimedUntil({ text, etag }: KeptText, now: number): number {
  if (etag === "absent") return 0;
  const parsed = Claim.safeParse(jsonOf(text));
  if (!parsed.success || parsed.data.at > now + CLAIM_MS) return 0;
  return parsed.data.at + CLAIM_MS;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Whether the claim is ours now; over the one that was read, whoever has died with it. */
export async function claim(
  { workspace, clock }: Pick<SyncParts, "workspace" | "clock">,
  repository: SkillRepository,
  before: KeptText,
): Promise<boolean> {
  const content = { text: `${JSON.stringify({ at: clock.now() })}\n` };
  const path = claimPath(repository);
  try {
    const write = { kind: "write", path, content, expect: before.etag } as const;
    await workspace.change({ by: BY, changes: [write] });
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}
