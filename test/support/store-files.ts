import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { getPlatformProxy } from "wrangler";
import { templateFiles, templateVersion } from "../../.template/template.ts";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { noPoint } from "../../src/shared/point.ts";
import type { FileVersion, LayerName } from "../../src/shared/workspace-files.ts";
import { WorkspaceBucket } from "../../src/workspace/bucket.ts";
import { createR2Store } from "../../src/workspace/store/r2-store.ts";
import { createTemplate } from "../../src/workspace/layers/template.ts";
import { nodeSql, openDatabase } from "./node-sql.ts";

type R2 = Parameters<typeof createR2Store>[0];

const CONFIG = `name = "carrel"
compatibility_date = "2026-11-01"
[[r2_buckets]]
binding = "WORKSPACE"
bucket_name = "carrel-workspace"
`;

/** All that shows in a bucket, by path, as `spellFile` spells it; and what AGENTS.md was. */
export type BucketView = {
  readonly files: Readonly<Record<string, string>>;
  readonly history: readonly FileVersion[];
};

/** What the template holds. */
export const template = createTemplate(templateFiles, templateVersion);

/** A file's layer with its text, or with the digest of bytes that are none. */
export function spellFile(layer: LayerName, bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString("utf8");
  if (Buffer.from(text).equals(bytes)) return `${layer} ${text}`;
  const digest = createHash("sha256").update(bytes).digest("hex");
  return `${layer} ${bytes.length} bytes ${digest}`;
}

/**
 * What a bucket of the user's becomes when all but R2 is lost: the development server's R2 in `state`, which must have
 * ended, read by an object that wakes empty over it.
 */
export async function rebuiltFromR2(state: string, user: string): Promise<BucketView> {
  const configPath = join(state, "r2.toml");
  writeFileSync(configPath, CONFIG);
  const persist = { path: join(state, "v3") };
  const platform = await getPlatformProxy<{ readonly WORKSPACE: R2 }>({ configPath, persist });
  try {
    const bucket = new WorkspaceBucket({
      key: bucketPrefix({ scope: "USER", agent: "main", user }),
      sql: nodeSql(openDatabase()),
      store: createR2Store(platform.env.WORKSPACE),
      template,
      shared: null,
      clock: systemClock,
      register: () => Promise.resolve(),
      unregister: () => Promise.resolve(),
      setAlarm: () => {},
      breathe: () => Promise.resolve(),
      point: noPoint,
      log: () => {},
    });
    const { entries } = await bucket.tree({ recursive: true, limit: 2_000 });
    const files: Record<string, string> = {};
    for (const { path, layer } of entries) {
      const { content } = await bucket.read({ path });
      const bytes = "text" in content ? Buffer.from(content.text) : content.bytes;
      files[path] = spellFile(layer, bytes);
    }
    return { files, history: await bucket.history("AGENTS.md") };
  } finally {
    await platform.dispose();
  }
}
