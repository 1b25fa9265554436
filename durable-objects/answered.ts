import { CarrelError } from "../src/shared/errors.ts";
import type { Point } from "../src/shared/point.ts";
import type { Failure } from "../src/shared/errors.ts";

/** A method that was called over RPC. */
export type Call = {
  readonly name: string;
  /** Whether it is this object that was meant. */
  readonly isMeant: boolean;
  readonly point: Point;
};

/** What an object answers. Expected failures leave as data: error classes do not survive the way to the Worker. */
export async function answered<Result extends object | void>(
  { name, isMeant, point }: Call,
  work: () => Result | Promise<Result>,
): Promise<((Result extends object ? Result : object) & { readonly ok: true }) | Failure> {
  point(`rpc:${name}:before`);
  try {
    if (!isMeant) throw new Error("called for another object");
    const result = { ...(await work()), ok: true as const };
    point(`rpc:${name}:after`);
    return result as unknown as (Result extends object ? Result : object) & { readonly ok: true };
  } catch (error) {
    if (error instanceof CarrelError)
      return { ok: false, code: error.code, message: error.message };
    throw error;
  }
}
