import type { ActivityContext } from "./context.ts";

const batchSize = 250;

/**
 * Deletes the data of an app. Waiting runs are CANCELED first, so that each has its event. Workers of running ones get a
 * request to stop; these runs are deleted when their retention is over. Safe to repeat.
 */
export async function purgeApp(context: ActivityContext, appName: string): Promise<void> {
  await context.definitions.deleteAll(appName);
  await context.schedules.deleteAll(appName);
  for (const status of ["QUEUED", "DELAYED", "RUNNING"] as const) {
    let after: string | undefined;
    for (let hasNext = true; hasNext; ) {
      const page = await context.runReads.list({ appName, status, after, limit: batchSize });
      for (const run of page.items) await context.runs.cancel(run.id);
      after = page.items.at(-1)?.id;
      hasNext = page.hasNext;
    }
  }
  await context.runs.deleteFinished(appName);
  context.catalogue.invalidate(appName);
}
