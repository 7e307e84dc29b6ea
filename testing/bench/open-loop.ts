/** The measurements of one run of a load. */
export interface LoadResult {
  readonly deliveries: number;
  /** From the first trigger to the last delivery. */
  readonly seconds: number;
  /** From the moment each trigger was due to each of its deliveries, ms. */
  readonly latencies: readonly number[];
}

/** A system that accepts triggers and reports deliveries. */
export interface EventSystem {
  /** Deliveries of each trigger. */
  readonly subscribers: number;
  trigger(number: number): Promise<unknown>;
  /** Sets the listener for every delivery from now on. */
  onDelivery: (number: number) => void;
  /** Sets the listener for the end of the deliveries. */
  onFailure: (error: unknown) => void;
}

/**
 * Triggers at a fixed rate, each at its time however long the earlier ones take, and waits for all deliveries. The latency of a
 * late trigger counts from the time when it was due, so a stall is visible.
 */
export async function openLoop(
  system: EventSystem,
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
