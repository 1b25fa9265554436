import type { D1Database } from "@cloudflare/workers-types";
import * as z from "zod";
import { invalid } from "../../../shared/errors.ts";
import { contentOf } from "../file-content.ts";
import type { Content } from "../../../shared/workspace-files.ts";

/** The part of D1 that skills need. */
export type SkillDatabase = Pick<D1Database, "prepare" | "batch">;

/** The D1 database of a binding. Throws `CarrelError('invalid')` where there is none. */
export function databaseOf(binding: (name: string) => unknown, name: string): SkillDatabase {
  const found = binding(name);
  if (isDatabase(found)) return found;
  throw invalid(`There is no D1 database under the binding ${name}. Add it to wrangler.toml.`);
}

const isDatabase = (value: unknown): value is SkillDatabase =>
  typeof value === "object" &&
  value !== null &&
  typeof Reflect.get(value, "prepare") === "function" &&
  typeof Reflect.get(value, "batch") === "function";

/** A value of a column `content`: text, or a blob, which D1 gives as numbers. */
export const ContentColumn: z.ZodType<Content> = z.union([
  z.string().transform((text) => (text.isWellFormed() ? { text } : { text: text.toWellFormed() })),
  z.array(z.number()).transform((numbers) => contentOf(Uint8Array.from(numbers))),
  z.instanceof(ArrayBuffer).transform((buffer) => contentOf(new Uint8Array(buffer))),
  z.instanceof(Uint8Array).transform((bytes) => contentOf(bytes)),
]);
