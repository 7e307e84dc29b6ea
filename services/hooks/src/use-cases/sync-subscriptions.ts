import { messageOf } from "@appserver/kernel";
import type { HooksContext } from "./context.ts";

/** Makes the stored subscriptions of one app what its manifest says, after an event hinted at a change. */
export async function syncApp(context: HooksContext, name: string): Promise<void> {
  context.apps.forget(name);
  // Read before the app: whoever installs it in between writes a newer one, and is not undone.
  const known = (await context.subscriptions.synced()).find(({ appName }) => appName === name);
  const app = await context.apps.find(name);
  if (app) await context.subscriptions.sync(app.name, app.declaredBy, app.hooks);
  else if (known) await context.subscriptions.remove(known);
}

/** The same for every app: events may have been missed. */
export async function syncAll(context: HooksContext): Promise<void> {
  const known = await context.subscriptions.synced();
  const apps = await context.apps.all();
  const names = new Set(apps.map(({ name }) => name));
  for (const app of apps) {
    try {
      if (app.hooks.length > 0 || known.some(({ appName }) => appName === app.name))
        await context.subscriptions.sync(app.name, app.declaredBy, app.hooks);
    } catch (error) {
      context.logger.warn({ reason: messageOf(error), app: app.name }, "subscriptions of an app were not read");
    }
  }
  for (const app of known) if (!names.has(app.appName)) await context.subscriptions.remove(app);
}
