import * as z from "zod";
import type { WorkersAiBinding } from "./model/workers-ai.ts";
import { ID } from "./shared/ids.ts";
import { defaultBucketLimits, type BucketLimits } from "./workspace/limits.ts";

/** The slice of a session object's stub that everybody has; its methods are `SessionApi`, called over RPC. */
export type SessionStub = {
  readonly fetch: (url: string, init: { method: string; body: string }) => Promise<Response>;
};

/** The bindings and variables of a deployment, as `wrangler.toml`, `.dev.vars` and secrets give them. */
export interface Env {
  readonly SESSIONS: { readonly getByName: (name: string) => SessionStub };
  /** Their methods are `BucketApi`. */
  readonly WORKSPACES: { readonly getByName: (name: string) => object };
  /** Their methods are `RegistryApi`. */
  readonly REGISTRY: { readonly getByName: (name: string) => object };
  readonly AI?: WorkersAiBinding;
  readonly [variable: string]: unknown;
}

const optionalText = z.string().trim().optional();

const ApiKey = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex"),
  user: z.string().regex(ID, 'must be a letter or digit, then letters, digits, ".", "_" or "-"'),
  role: z.enum(["user", "admin"]).default("user"),
});

/** A key that may call: the SHA-256 of the secret, never the secret. */
export type ApiKey = z.infer<typeof ApiKey>;

/** `CARREL_API_KEYS` parsed: empty when unset. Throws a plain `Error` that names what is wrong, which operators see. */
export function parseApiKeys(env: Env): readonly ApiKey[] {
  const json = parseJson(env, "CARREL_API_KEYS", "`npm run key -- NAME` prints an entry");
  if (json === undefined) return [];
  const parsed = z.array(ApiKey).safeParse(json);
  if (!parsed.success) throw new Error(`CARREL_API_KEYS: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

const MIB = 1024 * 1024;

const upTo = (min: number, max: number) => z.int().min(min).max(max).optional();

/**
 * What can be set of `BucketLimits`. A text is one row, which holds 2 MB; a blob is one value of KV, which holds
 * 25 MiB; the index of all files is in the memory of one object. Records of sessions need texts of some length.
 */
const Limits = z.strictObject({
  files: upTo(1, 20_000),
  bytes: upTo(MIB, 1024 * MIB),
  textBytes: upTo(MIB / 16, 1.5 * MIB),
  blobBytes: upTo(MIB / 16, 25 * MIB),
  logs: upTo(1, 20_000),
  logBytes: upTo(MIB, 1024 * MIB),
  versions: upTo(1, 1_000),
  versionRows: upTo(1, 100_000),
  versionBytes: upTo(MIB, 1024 * MIB),
} satisfies Record<keyof BucketLimits, z.ZodType>);

/**
 * What each bucket may hold: the JSON object in the variable WORKSPACE_LIMITS over `defaultBucketLimits`. Throws a
 * plain `Error` that names what is wrong, which operators see.
 */
export function workspaceLimits(env: Env): BucketLimits {
  const given = parseJson(env, "WORKSPACE_LIMITS", 'such as {"files": 5000}');
  if (given === undefined) return defaultBucketLimits;
  const parsed = Limits.safeParse(given);
  if (!parsed.success) throw new Error(`WORKSPACE_LIMITS: ${z.prettifyError(parsed.error)}`);
  return { ...defaultBucketLimits, ...parsed.data } as BucketLimits;
}

/**
 * How many calls one invocation of the cron makes at most, from the variable MAINTENANCE_CALLS: default 4,500. Throws a
 * plain `Error` for anything but a whole number from 100 to 9,000.
 */
export function maintenanceCalls(env: Env): number {
  const text = optionalText.parse(env["MAINTENANCE_CALLS"]);
  if (text === undefined || text === "") return 4_500;
  if (!/^\d{3,4}$/.test(text) || Number(text) < 100 || Number(text) > 9_000)
    throw new Error("MAINTENANCE_CALLS must be a whole number from 100 to 9000");
  return Number(text);
}

/** The JSON of a variable; `undefined` when it is not set or blank. `hint` says how it is written. */
function parseJson(env: Env, name: string, hint: string): unknown {
  const text = optionalText.parse(env[name]);
  if (text === undefined || text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} is not JSON; ${hint}`);
  }
}

/** The string variables that choose and configure a model; anything that is not a string is left out. */
export function textVariables(env: Env): Readonly<Record<string, string>> {
  const pairs = Object.entries(env).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value.trim()]] : [],
  );
  return Object.fromEntries(pairs) as Record<string, string>;
}
