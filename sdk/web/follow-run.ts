/** What the backend answers for a run: `RunReport` of the SDK for backends. */
export interface FollowedRun {
  readonly state: "completed" | "ended" | "running" | "waiting";
  /** From 0 to 1. */
  readonly progress?: number | undefined;
  readonly stage?: string | undefined;
  readonly output?: unknown;
  readonly error?: string | undefined;
}

export interface FollowOptions {
  /** Called with each answer, also with the last one. */
  readonly onProgress?: (run: FollowedRun) => void;
  /** Rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Time between two requests in milliseconds. Default 1000. */
  readonly everyMs?: number;
}

/** The part of `PageContext` that it needs. */
interface FetchingPage {
  fetch(path: string, request?: { readonly signal?: AbortSignal }): Promise<Response>;
}

/**
 * Follows a run until it has ended, and returns its last state. Asks `path`, a route of the app's own backend, again and again. The route answers
 * with the result of `runs.get(id)`, so the backend decides who may see the run. Rejects with an Error for a status below 500 other than 200
 * and 429. Continues while the platform or the backend does not respond.
 */
export async function followRun(
  page: FetchingPage,
  path: string,
  { onProgress, signal, everyMs = 1_000 }: FollowOptions = {},
): Promise<FollowedRun> {
  for (;;) {
    const run = await ask(page, path, signal);
    if (run) onProgress?.(run);
    if (run && (run.state === "completed" || run.state === "ended")) return run;
    signal?.throwIfAborted();
    await pause(everyMs, signal);
  }
}

/** Returns undefined if there is no response now. */
async function ask({ fetch }: FetchingPage, path: string, signal?: AbortSignal): Promise<FollowedRun | undefined> {
  const response = await fetch(path, signal ? { signal } : {}).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    return undefined;
  });
  if (!response || response.status >= 500 || response.status === 429) return undefined;
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  return (await response.json()) as FollowedRun;
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop);
  });
}
