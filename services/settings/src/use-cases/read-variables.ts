import type { SettingDefinition } from "@appserver/contracts/proto/appserver/v2/settings";
import { settingVariable } from "@appserver/contracts/settings";
import { AppError } from "@appserver/kernel";
import { effectiveSettings } from "../domain/settings-view.ts";
import type { SettingsStore } from "../ports.ts";
import type { ValueVault } from "./value-vault.ts";

interface VariablesContext {
  readonly store: Pick<SettingsStore, "load">;
  readonly vault: ValueVault;
}

/**
 * Returns the values of settings that are in the environment of their app, by the name of the variable
 * (docs/interface/settings.md#environment). Settings without a value are omitted. Throws INVALID_STATE with the reason if a secret
 * cannot be decrypted.
 */
export async function readVariables(
  { store, vault }: VariablesContext,
  appId: string,
  definitions: readonly SettingDefinition[],
): Promise<Readonly<Record<string, string>>> {
  const inEnvironment = definitions.filter(({ env = "" }) => env !== "");
  const keys = new Set(inEnvironment.map(({ key }) => key));
  const stored = (await store.load(appId)).values.filter(({ key }) => keys.has(key));
  const { settings } = effectiveSettings(inEnvironment, await vault.decode(appId, stored), true);
  const variables: Record<string, string> = {};
  for (const { definition, value, unreadable } of settings) {
    if (unreadable !== undefined) throw new AppError("INVALID_STATE", unreadable, { details: { key: definition.key } });
    if (value !== undefined && definition.env !== undefined) variables[definition.env] = settingVariable(definition, value);
  }
  return variables;
}
