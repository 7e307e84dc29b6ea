/** Time as the platform sees it. Tests pass a fake one; nothing else reads the system's clocks. */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch: for what is stored or shown. It may jump. */
  now(): number;
  /** Milliseconds from an arbitrary origin, never going back: for windows, TTLs, timeouts and durations. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted first. */
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
