import fc from "fast-check";
import type { Bucket } from "../../src/shared/bucket-key.ts";

const id = fc.oneof(
  fc.constantFrom("a", "A", "ab", "b", "skills", "agents", "users", "shared", "sessions", "global"),
  fc.constantFrom("files", "v1", "x..", "0-_.", "z".repeat(128)),
  fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,5}$/),
);

/** Buckets whose ids look like parts of keys. */
export const buckets: fc.Arbitrary<Bucket> = fc.oneof(
  fc.record({ scope: fc.constant("SESSION"), agent: id, user: id, session: id }),
  fc.record({ scope: fc.constant("USER"), agent: id, user: id }),
  fc.record({ scope: fc.constant("AGENT"), agent: id }),
  fc.record({ scope: fc.constant("GLOBAL") }),
);
