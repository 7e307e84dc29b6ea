import type { Pool } from "pg";
import type { ActivityHandler } from "../activities/activity.ts";
import { createActivityWorker } from "../activities/activity-worker.ts";
import { appEnvironment } from "../app-environment.ts";
import { readAppIdentity } from "../app-identity.ts";
import { type AppSettings, appSettings } from "../app-settings.ts";
import { database } from "../database/database.ts";
import { createPeople, type People } from "../people.ts";
import { createPlatformClient, type PlatformClient } from "../platform-client.ts";
import { type AppHandler, type RunningApp, serveApp, stopOnSignals } from "../serve-app.ts";

/** What an app with a database is made of. */
export interface AppParts {
  /** The database of the app, with the tables of its migrations. */
  readonly pool: Pool;
  /** Kept current while the app runs. */
  readonly settings: AppSettings;
  readonly people: People;
  /** For what has no shorter way: hooks, runs of activities. */
  readonly platform: PlatformClient;
}

export interface RunAppOptions {
  /** The folder with the migrations. Default `migrations` in the working directory, which is the folder of the app. */
  readonly migrations?: string | URL;
  /** As in `serveApp`. */
  readonly routes: (parts: AppParts) => Readonly<Record<string, AppHandler>>;
  /** Handlers of the activities of the manifest, by name. */
  readonly activities?: (parts: AppParts) => Readonly<Record<string, ActivityHandler>>;
}

/**
 * Runs a backend with a database until SIGTERM or SIGINT: opens the database and applies the migrations, serves the routes, prints each
 * request, and takes runs of activities. The health check fails while the database does not respond. Rejects if the platform did not
 * start the app, and as `database` and `serveApp` do.
 */
export async function runApp({ migrations = "migrations", routes, activities }: RunAppOptions): Promise<RunningApp> {
  const environment = appEnvironment(process.env);
  const { appName, grpcAddress, host, port } = environment;
  if (grpcAddress === undefined)
    throw new Error("APPSERVER_GRPC_ADDRESS is not set: the platform sets it for the apps that it runs");
  const { privateKey } = await readAppIdentity();
  const connection = { grpcUrl: `http://${grpcAddress}`, app: { name: appName, privateKey } };
  const pool = await database({ migrations });
  const platform = createPlatformClient(connection);
  const settings = appSettings({ environment, appName, privateKey });
  const parts: AppParts = { pool, settings, platform, people: createPeople(platform) };
  const worker = createActivityWorker(connection);
  const handlers = Object.entries(activities?.(parts) ?? {});
  for (const [name, handler] of handlers) worker.activity(name, handler);
  const health = async (): Promise<void> => void (await pool.query("select 1"));
  const served = await serveApp({ host, port, routes: routes(parts), health, platform, logRequests: true });
  if (handlers.length > 0) worker.start();
  const app: RunningApp = {
    port: served.port,
    stop: async () => {
      await worker.stop();
      settings.close();
      await served.stop();
      await pool.end();
    },
  };
  stopOnSignals(app);
  return app;
}
