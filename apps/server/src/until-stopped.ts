import cluster from "node:cluster";
import { StartAbortedError } from "@appserver/kernel";

export interface Stoppable {
  stop(): Promise<void>;
}

/** The process ends this long after a signal that came while it was starting, whatever it still waits for. */
const startPatienceMs = 9_000;
/** A second Ctrl-C that comes sooner is the same one: terminals signal the whole group, and the launcher passes signals on. */
const sameSignalMs = 500;

/**
 * Starts, and stops on the first signal, also while starting; resolves once started. The process ends when it has stopped, or
 * at once on a second Ctrl-C.
 */
export async function untilStopped(start: (stopping: AbortSignal) => Promise<Stoppable>): Promise<void> {
  const stopping = new AbortController();
  let stoppingSince = 0;
  let isStarted = false;
  const starting = Promise.resolve().then(() => start(stopping.signal));
  const stop = async (): Promise<void> => {
    if (!isStarted) setTimeout(() => isStarted || process.exit(1), startPatienceMs).unref();
    const running = await starting;
    await running.stop();
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping.signal.aborted) {
      if (signal === "SIGINT" && performance.now() - stoppingSince > sameSignalMs) process.exit(130);
      return;
    }
    stoppingSince = performance.now();
    stopping.abort();
    console.log("\nStopping …");
    stop().then(
      () => process.exit(0),
      (error) => process.exit(error instanceof StartAbortedError ? 0 : 1),
    );
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  // The process that started this one is gone: no signal will come from it.
  process.on("disconnect", () => onSignal("SIGTERM"));
  // A worker listens by asking its primary over the channel: that answer must be waited for.
  if (!cluster.isWorker) process.channel?.unref();
  try {
    await starting;
    isStarted = true;
  } catch (error) {
    // `stop` ends the process then.
    if (stopping.signal.aborted) return new Promise(() => {});
    throw error;
  }
}
