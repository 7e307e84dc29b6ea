import {
  type AppSettings,
  AppSettingsSchema,
  type GetSettingsRequest,
  SettingsSchemaSchema,
  type UpdateSettingsRequest,
  type WatchSettingsRequest,
} from "@appserver/contracts/proto/appserver/v2/settings";
import type { Call } from "@appserver/kernel";
import { create, type JsonObject } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { SettingsNotifications } from "../ports.ts";
import { type SettingsContext, type SettingsView, secretsSet, valuesOf } from "../use-cases/context.ts";
import { readSettings } from "../use-cases/read-settings.ts";
import { updateSettings } from "../use-cases/update-settings.ts";
import { watchSettings } from "../use-cases/watch-settings.ts";
import { visibleDefinitions } from "./schema-json.ts";

/** Returns the methods of `appserver.v2.SettingsService`. They only translate between gRPC and the use cases. */
export function settingsGrpc(context: SettingsContext & { readonly notifications: SettingsNotifications }) {
  return {
    getSettings: async ({ appId }: GetSettingsRequest, call: Call) => ({
      settings: settingsMessage(await readSettings(context, appId, call)),
    }),
    updateSettings: async ({ appId, values, expectedVersion: expected }: UpdateSettingsRequest, call: Call) => {
      const expectedVersion = expected === undefined ? undefined : Number(expected);
      return {
        settings: settingsMessage(await updateSettings(context, { appId, values: values ?? {}, expectedVersion }, call)),
      };
    },
    watchSettings: async function* ({ appId }: WatchSettingsRequest, call: Call) {
      for await (const view of watchSettings(context, appId, call)) yield { settings: settingsMessage(view) };
    },
  };
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
