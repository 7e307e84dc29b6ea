import type { RestRoute } from "@appserver/kernel";
import type { SettingsContext } from "../../use-cases/context.ts";
import { deleteSettings } from "../../use-cases/delete-settings.ts";
import { type AppParams, appParamsSchema, ifMatchHeader, settingsResponse } from "./app-settings-schema.ts";
import { onVersion } from "./on-version.ts";

/** Returns the route that deletes the stored values of an app, so that defaults apply (docs/interface/rest.md#delete-settings). */
export function deleteSettingsRoute(context: SettingsContext): RestRoute<AppParams, undefined> {
  return {
    method: "DELETE",
    url: "/api/v2/apps/:id/settings",
    schema: { params: appParamsSchema },
    documentation: {
      operationId: "deleteSettings",
      summary: "Deletes the stored values of an app, so that defaults apply",
      tag: "settings",
      headers: ifMatchHeader,
      responses: { 200: settingsResponse },
    },
    handle: async (call) =>
      await onVersion(call, (expectedVersion) => deleteSettings(context, { appId: call.params.id, expectedVersion }, call)),
  };
}
