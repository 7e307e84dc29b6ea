import { logLine } from "@appserver/sdk";
import { runApp } from "@appserver/sdk/run";
import { routes } from "./routes.ts";
import { SqlTaskStore } from "./task-store.ts";
import { postTask } from "./webhook.ts";

/** Days after which a task that is done is removed. */
const keptDays = 30;

// `pool` is the database of the app, with the tables of migrations/. It stays when the app is upgraded or uninstalled.
await runApp({
  routes: ({ pool, settings }) =>
    routes(new SqlTaskStore(pool), (task) => void postTask(settings.text("__RESOURCE__.webhook"), task)),
  activities: ({ pool }) => ({
    // app.yaml has the schedule. A run may be repeated after an interruption.
    "clean-up": async () => {
      const removed = await new SqlTaskStore(pool).removeDone(keptDays);
      logLine("info", "removed old tasks", { removed });
      return { removed };
    },
  }),
});
