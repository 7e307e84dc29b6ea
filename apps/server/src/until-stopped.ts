import cluster from "node:cluster";

export interface Stoppable {
  stop(): Promise<void>;
}

/** Starts, and stops on the first signal; resolves once started. The process ends when it has stopped. */
export async function untilStopped(start: (stopping: AbortSignal) => Promise<Stoppable>): Promise<void> {
  const stopping = new AbortController();
  const starting = start(stopping.signal);
  const stop = (): void => {
    // Terminals signal the whole group and the launcher passes signals on: the same request may come twice.
    if (stopping.signal.aborted) return;
    stopping.abort();
    console.log("\nStopping …");
    starting
      .then((running) => running.stop())
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  // Whoever started this process is gone: nobody is left to stop it.
  process.on("disconnect", stop);
  // A worker listens by asking its primary over the channel: that answer must be waited for.
  if (!cluster.isWorker) process.channel?.unref();
  await starting;
}
