import {
  appEnvironment,
  appSettings,
  createActivityWorker,
  logLine,
  readAppIdentity,
  serveApp,
  stopOnSignals,
} from "@appserver/sdk";
import { database } from "@appserver/sdk/database";
import { routes } from "./routes.ts";
import { SqlTaskStore } from "./task-store.ts";
import { postTask } from "./webhook.ts";

/** Days after which a task that is done is removed. */
const keptDays = 30;

const environment = appEnvironment(process.env);
const { appName, grpcAddress, host, port } = environment;
const { privateKey } = await readAppIdentity();

// The database of the app, with the tables of migrations/. It stays when the app is upgraded or uninstalled.
const pool = await database({ migrations: "migrations" });
const tasks = new SqlTaskStore(pool);

// Kept current while the app runs.
const settings = appSettings({ environment, appName, privateKey });

// app.yaml has the schedule. A run may be repeated after an interruption.
const worker = createActivityWorker({ grpcUrl: `http://${grpcAddress}`, app: { name: appName, privateKey } });
worker.activity("clean-up", async () => {
  const removed = await tasks.removeDone(keptDays);
  logLine("info", "removed old tasks", { removed });
  return { removed };
});
worker.start();

const app = await serveApp({
  host,
  port,
  routes: routes(tasks, (task) => void postTask(settings.text("__RESOURCE__.webhook"), task)),
  health: () => tasks.check(),
  logRequests: true,
});
stopOnSignals({
  port: app.port,
  stop: async () => {
    await worker.stop();
    settings.close();
    await app.stop();
    await pool.end();
  },
});
