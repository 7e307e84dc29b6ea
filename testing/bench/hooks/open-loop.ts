/** What one run of a load saw. */
export interface LoadResult {
  readonly deliveries: number;
  /** From the first trigger to the last delivery. */
  readonly seconds: number;
  /** From the moment each trigger was due to each of its deliveries, ms. */
  readonly latencies: readonly number[];
}

/** Something that takes triggers and tells of deliveries. */
export interface HookSystem {
  /** Deliveries of each trigger. */
  readonly subscribers: number;
  trigger(number: number): Promise<unknown>;
  /** Who hears of every delivery from now on. */
  onDelivery: (number: number) => void;
  /** Who hears that there will be no more. */
  onFailure: (error: unknown) => void;
}

/**
 * Triggers at a rate, each at its time whatever became of those before, and waits for all deliveries. A late trigger counts
 * from when it was due: a system that stalls cannot hide it.
 */
export async function openLoop(
  system: HookSystem,
  ratePerSecond: number,
  seconds: number,
  signal: AbortSignal,
): Promise<LoadResult> {
  const total = Math.round(ratePerSecond * seconds);
  const startedAt = performance.now();
  const latencies: number[] = [];
  const done = Promise.withResolvers<void>();
  const due = (number: number): number => startedAt + (number * 1000) / ratePerSecond;
  system.onDelivery = (number) => {
    latencies.push(performance.now() - due(number));
    if (latencies.length === total * system.subscribers) done.resolve();
  };
  system.onFailure = done.reject;
  signal.addEventListener("abort", () => done.reject(signal.reason), { once: true });
  done.promise.catch(() => {});
  const triggers: Promise<unknown>[] = [];
  for (let number = 0; number < total; ) {
    signal.throwIfAborted();
    for (; number < total && due(number) <= performance.now(); number += 1) {
      const trigger = system.trigger(number);
      trigger.catch(done.reject);
      triggers.push(trigger);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await Promise.all(triggers);
  await done.promise;
  return { deliveries: latencies.length, seconds: (performance.now() - startedAt) / 1000, latencies };
}
