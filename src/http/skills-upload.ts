import type { Context } from "hono";
import { CarrelError, invalid } from "../shared/errors.ts";
import type { DraftChanged } from "../shared/skill-drafts.ts";
import type { SkillFile } from "../shared/skill-facts.ts";
import { liveSkill } from "../skills/catalogue/live-skill.ts";
import { parseSkill } from "../skills/format/parse-skill.ts";
import { repositoryLimits } from "../skills/repositories/repository.ts";
import { skillFromArchive } from "../skills/repositories/skill-archive.ts";
import type { AppEnv } from "./app-env.ts";
import { readBytes } from "./body.ts";
import { operationOf } from "./files.ts";
import { isSet, type FileQuery } from "./files-query.ts";
import type { SkillsTarget } from "./skills-target.ts";

const MAX_ARCHIVE = 12_000_000;

const TYPES: readonly string[] = ["application/zip", "application/octet-stream"];

export type Uploaded = DraftChanged & {
  /** What the gate of the agent made of it, in words; `null`: it waits for a person. */
  readonly gate: string | null;
};

/**
 * Takes a skill from a zip archive (`.zip`, `.skill`) as a draft; the agent's gate may decide about it at once. Throws
 * `CarrelError`: `invalid` for what is no skill, `conflict` where there is one of that name and `?over` is not set.
 */
export async function uploadDraft(
  c: Context<AppEnv>,
  { skills, by }: SkillsTarget,
  query: FileQuery,
): Promise<Uploaded> {
  const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!TYPES.includes(type))
    throw new CarrelError(
      "unsupported_media_type",
      'Send the skill as a zip archive with the header "content-type: application/zip".',
    );
  const bytes = await readBytes(c.req.raw, "The archive", MAX_ARCHIVE, "12 MB");
  const op = (await operationOf(c, bytes)) ?? `http-${crypto.randomUUID()}`;
  const { directory, files } = skillFromArchive(bytes, repositoryLimits);
  const name = query.get("name") ?? nameOf(directory, files);
  const live = liveSkill(await skills.catalogue(), name);
  const change = { kind: "create", files, over: isSet(query, "over") } as const;
  const origin = { origin: "upload", trust: "trusted", session: null } as const;
  const changed = await skills.changeDraft({ name, change, live, by, op, ...origin });
  return { ...changed, gate: await skills.decideByGate(name, op) };
}

/** What its SKILL.md is called. */
function nameOf(directory: string | null, files: readonly SkillFile[]): string {
  const document = files.find(({ path }) => path.toLowerCase() === "skill.md");
  if (!document || !("text" in document.content))
    throw invalid("The archive has no SKILL.md with text at its top, or in its only directory.");
  const parsed = parseSkill(document.content.text, directory ?? "skill");
  if (parsed.kind === "bad") throw invalid(`The SKILL.md cannot be used: ${parsed.why}`);
  return parsed.header.name;
}
