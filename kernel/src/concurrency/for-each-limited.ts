/**
 * Calls `work` for each item in order, at most `limit` calls at a time. Resolves when all have ended. If a call rejects, no further one
 * starts, and the first error is rejected with when those that run have ended.
 */
export async function forEachLimited<Item>(
  items: Iterable<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // The workers share it, so that each item is taken once. Leaving a loop early ends it for all of them.
  const rest = (function* () {
    yield* items;
  })();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  const results = await Promise.allSettled(Array.from({ length: limit }, worker));
  const failure = results.find((result) => result.status === "rejected");
  if (failure) throw failure.reason;
}
