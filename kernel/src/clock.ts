/** The platform's time source. Tests pass a fake one; no other code reads the system clocks. */
export interface Clock {
  /** Returns wall-clock milliseconds since the epoch, for stored or displayed times. It may jump. */
  now(): number;
  /** Returns milliseconds from an arbitrary origin that never decrease, for windows, TTLs, timeouts and durations. */
  monotonic(): number;
  /** Resolves after `ms`. Rejects with the signal's reason if aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      }, ms);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }
}
