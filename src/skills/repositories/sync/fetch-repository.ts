import * as z from "zod";
import { CarrelError } from "../../../shared/errors.ts";
import { errorFacts } from "../../../shared/log.ts";
import { cutAt } from "../../../shared/text.ts";
import { stagingOf } from "../index-file.ts";
import type { Fetched, SkillRepository } from "../repository.ts";
import { judgeSkills, type Judged } from "./judge-skills.ts";
import type { SyncParts } from "./parts.ts";

/** Less than what a pass of upkeep gives all of them. */
const FETCH_MS = 45_000;
const MAX_REVISION = 1_000;
const MAX_WHY = 400;

export type FetchOutcome =
  | { readonly kind: "fetched"; readonly revision: string; readonly judged: Judged }
  | { readonly kind: "unchanged" }
  /** `why`: in words that can be shown. */
  | { readonly kind: "failed"; readonly why: string };

/**
 * Asks a repository, at most 45 seconds, and looks at what it gives. What goes wrong is an outcome and in the log; only when
 * nobody waits any more, as `signal` says, this throws.
 */
export async function fetchRepository(
  repository: SkillRepository,
  known: string | null,
  parts: SyncParts,
  signal: AbortSignal,
): Promise<FetchOutcome> {
  try {
    const answer = await inTime(repository, known, parts, signal);
    if (answer === "unchanged") {
      if (known === null) throw new Error("it says unchanged to somebody who knows nothing");
      return { kind: "unchanged" };
    }
    const { revision, skills, problems } = Answer.parse(answer);
    const { trust } = repository;
    const staging = stagingOf(repository);
    const judged = await judgeSkills(skills, { staging, trust, limits: parts.limits });
    return {
      kind: "fetched",
      // One that is too long to keep is none: then all is fetched each time.
      revision: revision.length <= MAX_REVISION ? revision : "",
      judged: { ...judged, problems: [...problems, ...judged.problems] },
    };
  } catch (error) {
    signal.throwIfAborted();
    parts.log("warn", "skills.repository_failed", {
      label: repository.label,
      ...errorFacts(error),
    });
    return { kind: "failed", why: whyOf(error) };
  }
}

async function inTime(
  repository: SkillRepository,
  known: string | null,
  { fetchOf, binding, limits, clock }: SyncParts,
  signal: AbortSignal,
): Promise<Fetched | "unchanged"> {
  const late = new AbortController();
  const done = new AbortController();
  void clock.sleep(FETCH_MS, done.signal).then(() => {
    if (!done.signal.aborted)
      late.abort(
        new CarrelError("unavailable", `It did not answer within ${FETCH_MS / 1_000} seconds.`),
      );
  });
  const either = AbortSignal.any([late.signal, signal]);
  const aborted = new Promise<never>((_, reject) => {
    either.addEventListener("abort", () => reject(either.reason as Error), { once: true });
  });
  aborted.catch(() => {});
  try {
    either.throwIfAborted();
    const parts = { fetch: fetchOf(repository), binding, limits, signal: either };
    return await Promise.race([repository.take(known, parts), aborted]);
  } finally {
    done.abort();
  }
}

/** A repository may be anybody's code. */
const Answer = z.object({
  revision: z.string(),
  skills: z.array(
    z.object({
      directory: z.string(),
      files: z.array(
        z.object({
          path: z.string(),
          content: z.union([
            z.object({ text: z.string() }),
            z.object({ bytes: z.instanceof(Uint8Array) }),
          ]),
          executable: z.boolean(),
        }),
      ),
    }),
  ),
  problems: z.array(z.string()),
});

const whyOf = (error: unknown): string =>
  error instanceof CarrelError
    ? cutAt(error.message, MAX_WHY)
    : "It could not be fetched. The log says why.";
