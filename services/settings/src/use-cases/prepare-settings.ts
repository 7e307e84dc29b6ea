import type { SettingsApp } from "../ports.ts";
import type { SettingsContext } from "./context.ts";

/**
 * Runs the settings part of onCreate, and of every change to another version. Encrypts values that the app's schema now
 * declares as secret, even if an earlier schema did not. Defaults are not stored: they apply wherever no value is stored, and
 * follow the schema. Idempotent.
 */
export async function prepareSettings(context: SettingsContext, app: SettingsApp): Promise<void> {
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
