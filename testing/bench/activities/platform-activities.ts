import { createActivityWorker } from "@appserver/sdk";
import { Pool } from "undici";

export const toilingName = "test.toiling";
export const toil = "toil";

export interface PlatformRunsOptions {
  readonly httpUrl: string;
  readonly grpcUrl: string;
  readonly app: Parameters<typeof createActivityWorker>[0]["app"];
  readonly runs: number;
  /** Number of concurrent triggers. */
  readonly producers: number;
  /** Maximum number of runs that the worker holds. */
  readonly capacity: number;
}

/**
 * Executes runs on the platform: triggered over GraphQL, executed over one gRPC stream. Returns the milliseconds from the first
 * trigger until the last result is acknowledged, that is, stored.
 */
export async function runPlatformActivities(options: PlatformRunsOptions): Promise<number> {
  let ended = 0;
  const all = Promise.withResolvers<void>();
  const worker = createActivityWorker({ grpcUrl: options.grpcUrl, app: options.app, capacity: options.capacity });
  worker.activity(toil, ({ input }) => {
    ended += 1;
    if (ended === options.runs) all.resolve();
    return input ?? null;
  });
  const startedAt = performance.now();
  worker.start();
  await Promise.all([triggerAll(options), all.promise]);
  await worker.stop(60_000);
  return performance.now() - startedAt;
}

const mutation = `mutation ($app: String!, $activity: String!, $input: JSON) {
  triggerActivity(appName: $app, activity: $activity, input: $input) { id }
}`;

async function triggerAll({ httpUrl, producers, runs }: PlatformRunsOptions): Promise<void> {
  const pool = new Pool(httpUrl, { connections: producers });
  let next = 0;
  const produce = async (): Promise<void> => {
    for (let number = next++; number < runs; number = next++) {
      const variables = { app: toilingName, activity: toil, input: { number } };
      const body = JSON.stringify({ query: mutation, variables });
      const headers = { "content-type": "application/json" };
      const response = await pool.request({ method: "POST", path: "/graphql", headers, body });
      const answer = (await response.body.json()) as { errors?: unknown };
      if (answer.errors !== undefined) throw new Error(JSON.stringify(answer.errors));
    }
  };
  await Promise.all(Array.from({ length: producers }, produce));
  await pool.close();
}
