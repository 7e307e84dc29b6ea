import { cpuSeconds, processTree } from "./process-cpu.ts";

/** What processes used to serve one batch of requests. */
export interface Served {
  /** User and system time of the processes and their children, in µs. */
  readonly cpuPerRequestUs: number;
  readonly requestsPerSecond: number;
  /** Times of single requests, in ms. */
  readonly timesMs: readonly number[];
}

export interface ClosedLoop {
  /** The serving processes. */
  readonly pids: readonly number[];
  readonly requests: number;
  /** Requests that wait for their response at the same time. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly send: () => Promise<void>;
}

/** Sends requests, each as soon as an earlier one has its response, and measures what they cost the serving processes. */
export async function closedLoop({ pids, requests, concurrency, signal, send }: ClosedLoop): Promise<Served> {
  const timesMs: number[] = [];
  let left = requests;
  const sendInTurn = async (): Promise<void> => {
    for (; left > 0; ) {
      left -= 1;
      signal.throwIfAborted();
      const sentAt = performance.now();
      await send();
      timesMs.push(performance.now() - sentAt);
    }
  };
  const [cpuBefore, startedAt] = [cpuOf(pids), performance.now()];
  await Promise.all(Array.from({ length: concurrency }, sendInTurn));
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    cpuPerRequestUs: ((cpuOf(pids) - cpuBefore) / requests) * 1e6,
    requestsPerSecond: requests / seconds,
    timesMs,
  };
}

function cpuOf(roots: readonly number[]): number {
  return roots.flatMap(processTree).reduce((sum, pid) => sum + cpuSeconds(pid), 0);
}
