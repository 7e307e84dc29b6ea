import { effectiveDefinitions } from "@appserver/contracts/settings";
import { effectiveSettings } from "../domain/settings-view.ts";
import type { SettingsApp } from "../ports.ts";
import type { SettingsContext } from "./context.ts";

/** Apps whose values are in memory at a time. */
const groupSize = 500;

/** Returns the ids of the apps whose stored settings have a problem that a user should fix. */
export async function faultyAmong(
  { store, vault }: Pick<SettingsContext, "store" | "vault">,
  apps: readonly SettingsApp[],
): Promise<readonly string[]> {
  const faulty: string[] = [];
  for (let start = 0; start < apps.length; start += groupSize) {
    const group = apps.slice(start, start + groupSize);
    const stored = await store.valuesOf(group.map(({ id }) => id));
    for (const app of group) {
      const { id, definitions } = app;
      const values = stored.get(id) ?? [];
      if (values.length === 0 && definitions.length === 0) continue;
      const decoded = await vault.decode(id, values);
      const { conditions } = effectiveSettings(effectiveDefinitions(definitions, app), decoded, true);
      if (conditions.length > 0) faulty.push(id);
    }
  }
  return faulty;
}
