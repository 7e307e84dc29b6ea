import { isAppError, type RestRoute } from "@appserver/kernel";
import type { SettingsContext } from "../../use-cases/context.ts";
import { updateSettings } from "../../use-cases/update-settings.ts";
import { type AppParams, appParamsSchema, type ValuesBody, valuesBodySchema } from "./app-settings-schema.ts";
import { settingsReply } from "./settings-reply.ts";

/**
 * Returns the route that merges values into the settings of an app (docs/interface/rest.md#update-settings). PUT merges, because
 * an update has the same meaning on every transport.
 */
export function updateSettingsRoute(context: SettingsContext): RestRoute<AppParams, ValuesBody> {
  return {
    method: "PUT",
    url: "/api/v2/apps/:id/settings",
    schema: { params: appParamsSchema, body: valuesBodySchema },
    handle: async (call) => {
      const { params, body } = call;
      const expectedVersion = versionOf(call.header("if-match"));
      try {
        return settingsReply(await updateSettings(context, { appId: params.id, values: body.values, expectedVersion }, call));
      } catch (error) {
        // RFC 9110 §13.1.1: a failed precondition has its own status.
        if (expectedVersion !== undefined && isAppError(error, "CONFLICT")) return { status: 412, error };
        throw error;
      }
    },
  };
}

/**
 * Returns the version from one of this service's entity tags. Returns -1, which matches no version, for any other tag. Returns
 * undefined if there is no condition.
 */
function versionOf(ifMatch: string | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === "*") return undefined;
  const [, version] = /^"(\d{1,9})\.[0-9a-f]{12}"$/.exec(ifMatch.trim()) ?? [];
  return version === undefined ? -1 : Number(version);
}
