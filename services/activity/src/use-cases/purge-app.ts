import type { ActivityContext } from "./context.ts";

const batchSize = 250;

/**
 * Deletes what is kept of an app. Waiting runs are CANCELED first, so that each has its event; those under way are asked to
 * stop, and go when they are old. Doing it again does no harm.
 */
export async function purgeApp(context: ActivityContext, appName: string): Promise<void> {
  await context.definitions.deleteAll(appName);
  await context.schedules.deleteAll(appName);
  for (const status of ["QUEUED", "DELAYED", "RUNNING"] as const) {
    let after: string | undefined;
    for (let hasNext = true; hasNext; ) {
      const page = await context.runs.list({ appName, status, after, limit: batchSize });
      for (const run of page.items) await context.runs.cancel(run.id);
      after = page.items.at(-1)?.id;
      hasNext = page.hasNext;
    }
  }
  await context.runs.deleteFinished(appName);
  context.catalogue.invalidate(appName);
}
