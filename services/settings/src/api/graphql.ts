import type { ErrorCode } from "@appserver/contracts/errors";
import { objectOf } from "@appserver/contracts/graphql";
import type { Problem, Settings, SettingsMutationResult, SettingValue } from "@appserver/contracts/graphql/types";
import { type AppError, type Call, isAppError } from "@appserver/kernel";
import type { SettingView } from "../domain/settings-view.ts";
import { type SettingsContext, type SettingsView, secretsSet, storedValues, valuesOf } from "../use-cases/context.ts";
import { deleteSettings } from "../use-cases/delete-settings.ts";
import { readSetting, readSettings } from "../use-cases/read-settings.ts";
import { updateSettings } from "../use-cases/update-settings.ts";
import { dataTypeName, schemaJson } from "./schema-json.ts";

/** Refusals that a form can show at its fields. All others are in `errors` (docs/interface/graphql.md#mutations). */
const businessRefusals: ReadonlySet<ErrorCode> = new Set(["INVALID_REQUEST", "CONFLICT", "INVALID_STATE"]);

/** Returns an error as a payload has it. The listener maps errors to codes. */
export type ProblemOf = (error: AppError) => Problem;

/** Returns the resolvers of the settings part of the schema. They only translate between GraphQL and the use cases. */
export function settingsResolvers(context: SettingsContext, problemOf: ProblemOf) {
  const mutate = (work: () => Promise<SettingsView>) => payload(work, problemOf);
  return {
    Query: {
      settings: (_: unknown, args: { appID: string }, call: Call): Promise<Settings | null> =>
        nullIfMissing(async () => settingsNode(await readSettings(context, args.appID, call))),
      settingValue: (_: unknown, args: { appID: string; key: string }, call: Call): Promise<SettingValue | null> =>
        nullIfMissing(async () => {
          const setting = await readSetting(context, { appId: args.appID, key: args.key }, call);
          return setting ? settingNode(setting) : null;
        }),
    },
    Mutation: {
      updateSettings: (
        _: unknown,
        args: { appID: string; settings: unknown; expectedVersion?: number | null },
        call: Call,
      ): Promise<SettingsMutationResult> =>
        mutate(() =>
          updateSettings(
            context,
            { appId: args.appID, values: args.settings, expectedVersion: args.expectedVersion ?? undefined },
            call,
          ),
        ),
      deleteSettings: (
        _: unknown,
        args: { appID: string; expectedVersion?: number | null },
        call: Call,
      ): Promise<SettingsMutationResult> =>
        mutate(() => deleteSettings(context, { appId: args.appID, expectedVersion: args.expectedVersion ?? undefined }, call)),
    },
  };
}

function settingsNode(view: SettingsView): Settings {
  return {
    appId: view.app.id,
    values: valuesOf(view),
    schema: schemaJson(view),
    version: view.version,
    stored: storedValues(view),
    secretsSet: secretsSet(view),
    updatedAt: view.updatedAt,
    updatedBy: view.updatedBy,
    conditions: view.conditions.map(({ since, ...condition }) => ({ ...condition, lastTransitionTime: since })),
  };
}

function settingNode(view: SettingView): SettingValue {
  const { key, dataType } = view.definition;
  return objectOf({ ...view, key, dataType: dataTypeName(dataType) });
}

async function nullIfMissing<T>(read: () => Promise<T | null>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (isAppError(error, "NOT_FOUND")) return null;
    throw error;
  }
}

async function payload(work: () => Promise<SettingsView>, problemOf: ProblemOf): Promise<SettingsMutationResult> {
  try {
    return { success: true, settings: settingsNode(await work()), error: null };
  } catch (error) {
    if (!isAppError(error) || !businessRefusals.has(error.code)) throw error;
    return { success: false, settings: null, error: problemOf(error) };
  }
}
