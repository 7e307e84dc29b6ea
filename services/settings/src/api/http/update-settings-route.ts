import type { RestRoute } from "@appserver/kernel";
import type { SettingsContext } from "../../use-cases/context.ts";
import { updateSettings } from "../../use-cases/update-settings.ts";
import {
  type AppParams,
  appParamsSchema,
  ifMatchHeader,
  settingsResponse,
  type ValuesBody,
  valuesBodySchema,
} from "./app-settings-schema.ts";
import { onVersion } from "./on-version.ts";

/**
 * Returns the route that merges values into the settings of an app (docs/interface/rest.md#update-settings). PUT merges, because
 * an update has the same meaning on every transport.
 */
export function updateSettingsRoute(context: SettingsContext): RestRoute<AppParams, ValuesBody> {
  return {
    method: "PUT",
    url: "/api/v2/apps/:id/settings",
    schema: { params: appParamsSchema, body: valuesBodySchema },
    documentation: {
      operationId: "updateSettings",
      summary: "Merges values into the settings of an app",
      tag: "settings",
      headers: ifMatchHeader,
      responses: { 200: settingsResponse },
    },
    handle: async (call) => {
      const { params, body } = call;
      return await onVersion(call, (expectedVersion) =>
        updateSettings(context, { appId: params.id, values: body.values, expectedVersion }, call),
      );
    },
  };
}
