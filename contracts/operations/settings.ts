import { mutation, type Operations, ofApps, query } from "./operation.ts";
import { replies } from "./rest-endpoint.ts";

/** Operations on the settings of apps. */
export const settingsOperations: Operations = {
  settings: {
    ...query,
    app: "appID",
    permission: "settings:read",
    grpc: "SettingsService.GetSettings",
    appctl: ["settings list", "settings get"],
    errors: ["NOT_FOUND"],
  },
  settingValue: {
    ...query,
    app: "appID",
    permission: "settings:read",
    appctl: { none: "`appctl settings get` finds the value among all settings" },
    errors: ["NOT_FOUND", "INVALID_STATE"],
    rest: {
      url: "/api/v2/apps/:id/settings/:key",
      path: { id: "appID", key: "key" },
      tag: "settings",
      summary: "Reads one setting of an app",
      reply: replies.value,
    },
  },
  validateSettings: {
    permission: "settings:read",
    rest: true,
    absent: "`updateSettings` refuses what is wrong",
    appctl: { none: "`appctl settings set` refuses what is wrong" },
    errors: ["NOT_FOUND"],
  },
  updateSettings: {
    ...mutation,
    app: "appID",
    permission: "settings:write",
    grpc: "SettingsService.UpdateSettings",
    appctl: ["settings set", "settings unset"],
    errors: ["NOT_FOUND", "CONFLICT", "INVALID_STATE"],
  },
  deleteSettings: {
    ...mutation,
    app: "appID",
    permission: "settings:write",
    appctl: ["settings delete"],
    errors: ["NOT_FOUND", "CONFLICT", "INVALID_STATE"],
  },
  watchSettings: {
    ...ofApps,
    permission: "settings:read",
    grpc: "SettingsService.WatchSettings",
    errors: ["NOT_FOUND"],
  },
};
