/** The arguments of a call as an object; `{}` when the model wrote something else, since providers refuse a history with it. */
export function inputObject(input: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The arguments of a call as they were written, or `{}` when that is not JSON. */
export function validJson(input: string): string {
  try {
    JSON.parse(input);
    return input;
  } catch {
    return "{}";
  }
}
