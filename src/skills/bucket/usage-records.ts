import * as z from "zod";
import type { SkillUsage } from "../../shared/skill-facts.ts";
import { instant, isoOrNull, type RecordFile } from "./record-file.ts";

const count = z.int().min(0).default(0);
const time = instant.nullable().default(null);

/** How skills were used, by canonical name. */
export const usageFile: RecordFile<SkillUsage> = {
  path: "skills/.usage.json",
  entry: z
    .object({
      state: z.enum(["active", "stale", "archived"]).default("active"),
      pinned: z.boolean().default(false),
      use_count: count,
      view_count: count,
      last_used_at: time,
      last_viewed_at: time,
      archived_at: time,
    })
    .transform((said) => ({
      state: said.state,
      pinned: said.pinned,
      useCount: said.use_count,
      viewCount: said.view_count,
      lastUsedAt: said.last_used_at,
      lastViewedAt: said.last_viewed_at,
      archivedAt: said.archived_at,
    })),
  render: (usage) => ({
    state: usage.state,
    pinned: usage.pinned,
    use_count: usage.useCount,
    view_count: usage.viewCount,
    last_used_at: isoOrNull(usage.lastUsedAt),
    last_viewed_at: isoOrNull(usage.lastViewedAt),
    archived_at: isoOrNull(usage.archivedAt),
  }),
};

/** Of a skill that was never used. */
export const unused: SkillUsage = {
  state: "active",
  pinned: false,
  useCount: 0,
  viewCount: 0,
  lastUsedAt: null,
  lastViewedAt: null,
  archivedAt: null,
};
