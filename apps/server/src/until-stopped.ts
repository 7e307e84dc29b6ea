import cluster from "node:cluster";
import { StartAbortedError } from "@appserver/kernel";

export interface Stoppable {
  stop(): Promise<void>;
}

/** A process that gets a signal while it starts ends after this time at the latest. */
const startPatienceMs = 9_000;
/** A second SIGINT within this time is the same Ctrl-C: terminals signal the whole group, and the launcher forwards signals. */
const sameSignalMs = 500;

/**
 * Starts, and stops on the first signal, also while starting. Resolves once started. The process ends when it has stopped, or
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
  // The parent process has ended, so it cannot send a signal.
  process.on("disconnect", () => onSignal("SIGTERM"));
  // A worker opens its ports through the channel to its primary, so the channel must keep the process alive.
  if (!cluster.isWorker) process.channel?.unref();
  try {
    await starting;
    isStarted = true;
  } catch (error) {
    // `stop` then ends the process.
    if (stopping.signal.aborted) return new Promise(() => {});
    throw error;
  }
}
