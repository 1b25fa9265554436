import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { getPlatformProxy } from "wrangler";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { noPoint } from "../../src/shared/point.ts";
import type { Content } from "../../src/shared/workspace-files.ts";
import { WorkspaceBucket } from "../../src/workspace/bucket.ts";
import { createR2Store } from "../../src/workspace/r2-store.ts";
import { createTemplate } from "../../src/workspace/template.ts";
import { nodeSql, openDatabase } from "./node-sql.ts";

type R2 = Parameters<typeof createR2Store>[0];

const CONFIG = `name = "carrel"
compatibility_date = "2026-11-01"
[[r2_buckets]]
binding = "WORKSPACE"
bucket_name = "carrel-workspace"
`;

/** Own files by path, each as text or base64. */
export type StoreFiles = Readonly<Record<string, string>>;

const spell = (content: Content): string =>
  "text" in content ? content.text : `base64:${Buffer.from(content.bytes).toString("base64")}`;

/**
 * What a bucket of the user's becomes when all but R2 is lost: the development server's R2 in `state`, which must have
 * ended, read by an object that wakes empty over it.
 */
export async function rebuiltFromR2(state: string, user: string): Promise<StoreFiles> {
  const configPath = join(state, "r2.toml");
  writeFileSync(configPath, CONFIG);
  const persist = { path: join(state, "v3") };
  const platform = await getPlatformProxy<{ readonly WORKSPACE: R2 }>({ configPath, persist });
  try {
    const bucket = new WorkspaceBucket({
      key: bucketPrefix({ scope: "USER", agent: "main", user }),
      sql: nodeSql(openDatabase()),
      store: createR2Store(platform.env.WORKSPACE),
      template: createTemplate({}, "none"),
      shared: null,
      clock: systemClock,
      register: () => Promise.resolve(),
      setAlarm: () => {},
      breathe: () => Promise.resolve(),
      point: noPoint,
      log: () => {},
    });
    const { entries } = await bucket.tree({ recursive: true, limit: 2_000 });
    const files: Record<string, string> = {};
    for (const { path } of entries) files[path] = spell((await bucket.read({ path })).content);
    return files;
  } finally {
    await platform.dispose();
  }
}
