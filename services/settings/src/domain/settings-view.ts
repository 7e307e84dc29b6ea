import type { SettingDefinition } from "@appserver/contracts/proto/appserver/v2/settings";
import { settingProblems } from "@appserver/contracts/settings";
import type { DecodedValue } from "./stored-settings.ts";

/** Replaces a secret that the caller may not see. Sent back in an update, it keeps the secret. */
export const secretMask = "********";

/** A problem with an app's settings that a user should fix. Never contains a value. */
export interface SettingsCondition {
  readonly type: "SettingsValid" | "SettingsReadable" | "SettingsComplete";
  readonly status: "False";
  readonly reason: string;
  readonly message: string;
}

/** One setting as a caller may see it. */
export interface SettingView {
  readonly definition: SettingDefinition;
  /** The mask if it is a secret that the caller may not see. Undefined if there is no value. */
  readonly value: unknown;
  /** Whether it is a secret: declared as one, or stored as one by an earlier schema. */
  readonly sensitive: boolean;
  readonly isSet: boolean;
  readonly source: "DEFAULT" | "STORED";
  readonly updatedAt: Date | undefined;
  /** The reason why a stored value cannot be read. */
  readonly unreadable: string | undefined;
}

export interface EffectiveSettings {
  /** In the order of the definitions. */
  readonly settings: readonly SettingView[];
  readonly conditions: readonly SettingsCondition[];
}

/**
 * Returns the effective settings of an app: stored values that fit the schema, else defaults
 * (docs/interface/settings.md#values). A value that no longer fits stays stored for a return to the older version, and is
 * reported as a condition.
 */
export function effectiveSettings(
  definitions: readonly SettingDefinition[],
  stored: readonly DecodedValue[],
  seesSecrets: boolean,
): EffectiveSettings {
  const byKey = new Map(stored.map((value) => [value.key, value]));
  const known = new Set(definitions.map(({ key }) => key));
  const invalid = stored.filter(({ key }) => !known.has(key)).map(({ key }) => `${key} is not a setting of the app any more`);
  const unreadable: string[] = [];
  const missing: string[] = [];
  const settings = definitions.map((definition) => {
    const value = byKey.get(definition.key);
    const problems = value && value.unreadable === undefined ? settingProblems(definition, value.value) : [];
    invalid.push(...problems.map(({ message }) => `${definition.key} ${message}`));
    if (value?.unreadable !== undefined) unreadable.push(value.unreadable);
    const setting = view(definition, problems.length === 0 ? value : undefined, seesSecrets);
    if (definition.required && !setting.isSet && definition.defaultValue === undefined)
      missing.push(`${definition.key} is required`);
    return setting;
  });
  return {
    settings,
    conditions: [
      ...condition("SettingsValid", "InvalidValues", invalid),
      ...condition("SettingsReadable", "DecryptionFailed", unreadable),
      ...condition("SettingsComplete", "RequiredMissing", missing),
    ],
  };
}

function view(definition: SettingDefinition, stored: DecodedValue | undefined, seesSecrets: boolean): SettingView {
  const sensitive = definition.sensitive || (stored?.sealed ?? false);
  const value = stored ? (stored.unreadable === undefined ? stored.value : undefined) : defaultOf(definition);
  const hasValue = stored !== undefined || value !== undefined;
  return {
    definition,
    value: sensitive && !seesSecrets && hasValue ? secretMask : value,
    sensitive,
    isSet: stored !== undefined,
    source: stored ? "STORED" : "DEFAULT",
    updatedAt: stored?.updatedAt,
    unreadable: stored?.unreadable,
  };
}

/** Parses the default. Registration has checked that it is valid JSON and fits the definition. */
function defaultOf({ defaultValue }: SettingDefinition): unknown {
  return defaultValue === undefined ? undefined : JSON.parse(defaultValue);
}

function condition(type: SettingsCondition["type"], reason: string, messages: readonly string[]): readonly SettingsCondition[] {
  return messages.length === 0 ? [] : [{ type, status: "False", reason, message: messages.join("; ") }];
}
