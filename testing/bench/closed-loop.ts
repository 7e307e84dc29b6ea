import { cpuSeconds, processTree } from "./process-cpu.ts";

/** What a process used to serve one batch of requests. */
export interface Served {
  /** User and system time of the process and its children, in µs. */
  readonly cpuPerRequestUs: number;
  readonly requestsPerSecond: number;
  /** Times of single requests, in ms. */
  readonly timesMs: readonly number[];
}

export interface ClosedLoop {
  /** The serving process. */
  readonly pid: number;
  readonly requests: number;
  /** Requests that wait for their response at the same time. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly send: () => Promise<void>;
}

/** Sends requests, each as soon as an earlier one has its response, and measures what they cost the serving process. */
export async function closedLoop({ pid, requests, concurrency, signal, send }: ClosedLoop): Promise<Served> {
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
  const [cpuBefore, startedAt] = [cpuOf(pid), performance.now()];
  await Promise.all(Array.from({ length: concurrency }, sendInTurn));
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    cpuPerRequestUs: ((cpuOf(pid) - cpuBefore) / requests) * 1e6,
    requestsPerSecond: requests / seconds,
    timesMs,
  };
}

function cpuOf(root: number): number {
  return processTree(root).reduce((sum, pid) => sum + cpuSeconds(pid), 0);
}
