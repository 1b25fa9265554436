/** Whether the platform marked one of its own errors: the object is overloaded, or the call was lost and may be repeated. */
export function isMarked(error: unknown, mark: "overloaded" | "retryable"): boolean {
  return (
    error instanceof Error &&
    (error as Error & Partial<Record<typeof mark, boolean>>)[mark] === true
  );
}
