import type { HookApp } from "../ports.ts";
import type { HooksContext } from "./context.ts";
import { permittedSources, refreshSources } from "./hook-sources.ts";

/** Replaces the stored subscriptions of one app with those of its manifest, after the app may have changed. */
export async function syncApp(context: HooksContext, name: string): Promise<void> {
  // Read before the app: an installation in between writes a newer token, so its subscriptions are not removed.
  const known = (await context.subscriptions.synced()).find(({ appName }) => appName === name);
  const app = await context.apps.get(name);
  if (!app) return known && context.subscriptions.remove(known);
  await syncDeclared(context, app);
  await refreshSources(context, app.name);
}

/** Stores the manifest's subscriptions and their permitted sources together: an event triggered in between would be missed. */
export async function syncDeclared(context: HooksContext, { name, declaredBy, hooks }: HookApp): Promise<void> {
  const hookNames = hooks.map(({ hookName }) => hookName);
  await context.subscriptions.sync(name, declaredBy, hooks, await permittedSources(context, name, hookNames));
}

/** Syncs every app, because events may have been missed. */
export async function syncAll(context: HooksContext): Promise<void> {
  const known = await context.subscriptions.synced();
  const apps = context.apps.all();
  const names = new Set(apps.map(({ name }) => name));
  for (const app of apps) {
    try {
      if (app.hooks.length === 0 && !known.some(({ appName }) => appName === app.name)) continue;
      await syncDeclared(context, app);
      await refreshSources(context, app.name);
    } catch (error) {
      context.logger.warn({ err: error, app: app.name }, "hooks: could not read the subscriptions of an app");
    }
  }
  for (const app of known) if (!names.has(app.appName)) await context.subscriptions.remove(app);
}
