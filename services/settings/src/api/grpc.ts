import {
  type AppSettings,
  AppSettingsSchema,
  type DeleteSettingsRequest,
  type GetSettingRequest,
  type GetSettingsRequest,
  SettingSource,
  SettingsSchemaSchema,
  type SettingValue,
  SettingValueSchema,
  type UpdateSettingsRequest,
  type WatchSettingsRequest,
} from "@appserver/contracts/proto/appserver/v2/settings";
import { AppError, type Call } from "@appserver/kernel";
import { create, fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { timestampFromDate, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { SettingView } from "../domain/settings-view.ts";
import type { SettingsNotifications } from "../ports.ts";
import { type SettingsContext, type SettingsView, secretsSet, valuesOf } from "../use-cases/context.ts";
import { deleteSettings } from "../use-cases/delete-settings.ts";
import { readSetting, readSettings } from "../use-cases/read-settings.ts";
import { updateSettings } from "../use-cases/update-settings.ts";
import { watchSettings } from "../use-cases/watch-settings.ts";
import { visibleDefinitions } from "./schema-json.ts";

/** Returns the methods of `appserver.v2.SettingsService`. They only translate between gRPC and the use cases. */
export function settingsGrpc(context: SettingsContext & { readonly notifications: SettingsNotifications }) {
  return {
    getSettings: async ({ appId }: GetSettingsRequest, call: Call) => ({
      settings: settingsMessage(await readSettings(context, appId, call)),
    }),
    getSetting: async ({ appId, key }: GetSettingRequest, call: Call) => {
      const setting = await readSetting(context, { appId, key }, call);
      if (!setting)
        throw new AppError("NOT_FOUND", `the app has no setting ${JSON.stringify(key.slice(0, 200))}`, { details: { appId } });
      return { setting: settingMessage(setting) };
    },
    updateSettings: async ({ appId, values, expectedVersion }: UpdateSettingsRequest, call: Call) => {
      const request = { appId, values: values ?? {}, expectedVersion: versionOf(expectedVersion) };
      const view = await updateSettings(context, request, call);
      return { settings: settingsMessage(view) };
    },
    deleteSettings: async ({ appId, expectedVersion }: DeleteSettingsRequest, call: Call) => {
      await deleteSettings(context, { appId, expectedVersion: versionOf(expectedVersion) }, call);
      return {};
    },
    watchSettings: async function* ({ appId }: WatchSettingsRequest, call: Call) {
      for await (const view of watchSettings(context, appId, call)) yield { settings: settingsMessage(view) };
    },
  };
}

function versionOf(given: bigint | undefined): number | undefined {
  return given === undefined ? undefined : Number(given);
}

function settingsMessage(view: SettingsView): AppSettings {
  return create(AppSettingsSchema, {
    appId: view.app.id,
    // Values arrive as JSON and are stored as JSON.
    values: valuesOf(view) as JsonObject,
    version: BigInt(view.version),
    secretsSet: [...secretsSet(view)],
    ...(view.updatedAt ? { updatedAt: timestampFromDate(view.updatedAt) } : {}),
    updatedBy: view.updatedBy ?? "",
    conditions: view.conditions.map(({ since, ...condition }) => ({
      ...condition,
      lastTransitionTime: timestampFromDate(since),
    })),
    schema: create(SettingsSchemaSchema, { definitions: [...visibleDefinitions(view)] }),
  });
}

function settingMessage({ definition, value, sensitive, isSet, source, updatedAt }: SettingView): SettingValue {
  return create(SettingValueSchema, {
    key: definition.key,
    ...(value === undefined ? {} : { value: fromJson(ValueSchema, value as JsonValue) }),
    dataType: definition.dataType,
    sensitive,
    isSet,
    source: SettingSource[source],
    ...(updatedAt ? { updatedAt: timestampFromDate(updatedAt) } : {}),
  });
}
