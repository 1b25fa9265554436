/** The `share`-quantile of some numbers, linear between neighbours; NaN for none. */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = Math.floor(at);
  const below = sorted[low] ?? NaN;
  return below + ((sorted[low + 1] ?? below) - below) * (at - low);
}

export const median = (values) => quantile(values, 0.5);

/**
 * Adds to each record what the mock provider saw of its turn: `over`, the turn's time, and `firstOver`, the time to
 * its first token, both without the time in which the mock itself held a request.
 */
export async function withMockTimes(mock, records) {
  const log = await mock.takeLog();
  return records.map((record) => {
    const calls = log[record.id];
    const last = calls?.at(-1);
    if (!last) throw new Error(`the provider saw no request of turn ${record.id}`);
    const held = calls.map((call) => call.end - call.received);
    const heldBefore = held.slice(0, -1).reduce((sum, value) => sum + value, 0);
    const own = held.reduce((sum, value) => sum + value, 0);
    return {
      ...record,
      over: record.done - record.startedAt - own,
      firstOver: record.first - record.startedAt - heldBefore - (last.first - last.received),
      before: calls[0].received - record.startedAt,
      between: calls.length > 1 ? calls[1].received - calls[0].end : 0,
      relay: record.first - last.first,
      tail: record.done - last.end,
      requestBytes: last.bytes,
    };
  });
}
