import { invalid } from "../shared/errors.ts";

/** A number from a query, `undefined` when it is not there. Throws `CarrelError('invalid')` that names it and its bounds. */
export function wholeNumber(
  name: string,
  text: string | undefined,
  min: number,
  max: number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d{1,16}$/.test(text) || value < min || value > max) {
    throw invalid(`"${name}" must be a whole number from ${min} to ${max}.`);
  }
  return value;
}
