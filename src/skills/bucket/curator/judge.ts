import type { CuratorOptions, Transition } from "../../../shared/skill-upkeep.ts";
import { isoOf } from "../record-file.ts";
import type { DraftStanding, LiveStanding, Standing } from "./standing.ts";

/** What is to become of a skill, or of a draft that nobody decided about. */
export type Verdict = Omit<Transition, "hash"> &
  (
    | { readonly what: "skill"; readonly skill: LiveStanding }
    | { readonly what: "draft"; readonly draft: DraftStanding }
  );

const DAY_MS = 86_400_000;

/** Whether the curator may touch it: the agent made it, and nobody has pinned it. */
export const isCurated = ({ provenance, usage }: LiveStanding): boolean =>
  provenance?.createdBy === "agent" && !usage.pinned;

/** When something was done with it the last time: used, viewed, promoted, restored or written (ms). */
export const activeAt = ({ usage, provenance, writtenAt }: LiveStanding): number =>
  Math.max(usage.lastUsedAt ?? 0, usage.lastViewedAt ?? 0, provenance?.promotedAt ?? 0, writtenAt);

/** Of a live skill: a record that calls it archived is out of date. */
export const stateOf = ({ usage }: LiveStanding): "active" | "stale" =>
  usage.state === "stale" ? "stale" : "active";

/** When a draft that nobody decides about is put away (ms). */
export const expiresAt = (draft: DraftStanding, options: CuratorOptions): number =>
  Math.max(changedAt(draft) + options.draftExpiresMs, draft.record.deferredUntil ?? 0);

/** When a draft was changed or restored the last time (ms). */
export const changedAt = ({ record, writtenAt }: DraftStanding): number =>
  Math.max(record.changedAt, writtenAt);

/** What is to be done now, those that have waited longest first. A time that is still to come makes nothing old. */
export function judge(
  { skills, drafts }: Standing,
  options: CuratorOptions,
  now: number,
): readonly Verdict[] {
  const verdicts = [
    ...skills.flatMap((skill) => judgeSkill(skill, options, now)),
    ...drafts.flatMap((draft) => judgeDraft(draft, options, now)),
  ];
  return verdicts.toSorted((a, b) => sinceOf(a) - sinceOf(b));
}

const sinceOf = (verdict: Verdict): number =>
  verdict.what === "skill" ? activeAt(verdict.skill) : changedAt(verdict.draft);

function judgeSkill(skill: LiveStanding, options: CuratorOptions, now: number): Verdict[] {
  if (!isCurated(skill)) return [];
  const at = activeAt(skill);
  const age = now - at;
  const from = stateOf(skill);
  const verdict = (to: Transition["to"], why: string): Verdict[] => [
    { what: "skill", skill, name: skill.name, from, to, why },
  ];
  const idle = `Not used since ${dayOf(at)}, for ${spellTime(age)}.`;
  if (age >= options.archiveAfterMs) return verdict("archived", idle);
  if (age >= options.staleAfterMs) return from === "active" ? verdict("stale", idle) : [];
  return from === "stale" ? verdict("active", `Used or changed again on ${dayOf(at)}.`) : [];
}

function judgeDraft(draft: DraftStanding, options: CuratorOptions, now: number): Verdict[] {
  if (now < expiresAt(draft, options)) return [];
  const { name } = draft;
  const at = changedAt(draft);
  const why = `Expired: nobody decided about it, and it was not changed since ${dayOf(at)}, for ${spellTime(now - at)}.`;
  return [{ what: "draft", draft, name, from: "draft", to: "archived", why }];
}

/** When the next of it changes by itself (ms), now at the earliest; `null`: none of it ever does. */
export function nextChange(
  { skills, drafts }: Standing,
  options: CuratorOptions,
  now: number,
): number | null {
  const times = [
    ...skills.filter(isCurated).map((skill) => {
      const at = activeAt(skill);
      if (stateOf(skill) === "active")
        return at + Math.min(options.staleAfterMs, options.archiveAfterMs);
      return at + options.staleAfterMs > now ? now : at + options.archiveAfterMs;
    }),
    ...drafts.map((draft) => expiresAt(draft, options)),
  ];
  return times.length === 0 ? null : Math.max(now, Math.min(...times));
}

/** The same once all that was done. */
export function after({ skills, drafts, unclear }: Standing, done: readonly Verdict[]): Standing {
  const states = new Map(done.flatMap((it) => (it.what === "skill" ? [[it.skill, it.to]] : [])));
  const gone = new Set(done.flatMap((it) => (it.what === "draft" ? [it.draft] : [])));
  return {
    skills: skills.flatMap((skill) => {
      const state = states.get(skill) ?? skill.usage.state;
      if (states.has(skill) && state === "archived") return [];
      return state === "draft" ? [] : [{ ...skill, usage: { ...skill.usage, state } }];
    }),
    drafts: drafts.filter((draft) => !gone.has(draft)),
    unclear,
  };
}

export const dayOf = (at: number): string => isoOf(at).slice(0, 10);

/** `31 days`; below two days `30 hours`. */
export function spellTime(ms: number): string {
  const [count, unit] =
    ms >= 2 * DAY_MS ? [Math.floor(ms / DAY_MS), "day"] : [Math.floor(ms / 3_600_000), "hour"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
