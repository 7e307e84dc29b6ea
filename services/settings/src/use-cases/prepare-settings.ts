import { requireApp, type SettingsContext } from "./context.ts";

/**
 * The settings' part of onCreate, and of every switch to another version: what the app's schema now calls a secret is
 * encrypted, whatever an earlier one called it. Defaults need no row of their own: they hold wherever nothing is stored, and
 * follow the schema. May be repeated.
 */
export async function prepareSettings(context: SettingsContext, appId: string): Promise<void> {
  const app = await requireApp(context, appId);
  const secrets = new Set(app.definitions.filter(({ sensitive }) => sensitive).map(({ key }) => key));
  await context.store.change(app, async ({ values }) => {
    const bare = values.filter(({ key, sealed }) => !sealed && secrets.has(key));
    if (bare.length === 0) return undefined;
    const sets = bare.map(async ({ key, text }) => ({
      key,
      sealed: true,
      text: await context.vault.seal(app.id, key, JSON.parse(text)),
    }));
    return { sets: await Promise.all(sets), removes: [], at: new Date(context.clock.now()) };
  });
}
