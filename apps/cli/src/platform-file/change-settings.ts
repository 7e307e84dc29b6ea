import { accepted, ask, found } from "../client.ts";
import { parseValue, type SettingDefinition } from "../commands/settings.ts";
import {
  AppIdDocument,
  SettingFormsDocument,
  StoredSettingsDocument,
  UpdateSettingsDocument,
} from "../generated/operations.ts";
import type { Environment, GlobalOptions } from "../global-options.ts";
import { UsageError } from "../usage-error.ts";
import { canonicalJson } from "./canonical.ts";

import type { Change } from "./step.ts";

/** Sets or unsets values. Throws if one is not what it was when the change was planned. */
export async function changeSettings(
  options: GlobalOptions,
  change: Extract<Change, { kind: "set" | "unset" }>,
  environment: Environment,
): Promise<void> {
  const { app: name, changes } = change;
  const { id: appID } = found((await ask(options, AppIdDocument, { name })).app, `app ${name}`);
  const { stored, version } = found((await ask(options, StoredSettingsDocument, { appID })).settings, `app ${name}`);
  const current = stored as Readonly<Record<string, unknown>>;
  for (const { key, from } of changes)
    if (canonicalJson(current[key]) !== canonicalJson(from))
      throw new Error(`${key} of ${name} is ${canonicalJson(current[key])} now, and was ${canonicalJson(from)} in the plan`);
  const secrets =
    change.kind === "unset"
      ? change.secrets.map((key) => [key, null] as const)
      : await readSecrets(options, appID, change.secrets, environment);
  const values = Object.fromEntries([...changes.map(({ key, to }) => [key, to ?? null] as const), ...secrets]);
  const variables = { appID, settings: values, expectedVersion: version };
  accepted((await ask(options, UpdateSettingsDocument, variables)).updateSettings);
}

/** Reads secrets from the environment, in the form that `appctl settings set` takes. */
async function readSecrets(
  options: GlobalOptions,
  appID: string,
  secrets: Readonly<Record<string, string>>,
  environment: Environment,
): Promise<readonly (readonly [key: string, value: unknown])[]> {
  if (Object.keys(secrets).length === 0) return [];
  const { schema } = found((await ask(options, SettingFormsDocument, { appID })).settings, `app ${appID}`);
  const { definitions } = schema as { readonly definitions: readonly SettingDefinition[] };
  return Object.entries(secrets).map(([key, variable]) => {
    const definition = definitions.find((each) => each.key === key);
    if (!definition) throw new UsageError(`${key} is not a setting of the app`);
    if (!definition.sensitive) throw new UsageError(`${key} is not a secret: give it in settings`);
    const given = environment[variable];
    if (!given) throw new UsageError(`${key} is a secret that is not set: give its value in the variable ${variable}`);
    return [key, parseValue(definition, given)];
  });
}
