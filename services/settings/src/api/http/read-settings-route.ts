import { isNoneMatchHit, type RestRoute } from "@appserver/kernel";
import type { SettingsContext } from "../../use-cases/context.ts";
import { readSettings } from "../../use-cases/read-settings.ts";
import { type AppParams, appParamsSchema, settingsResponse, tagHeader } from "./app-settings-schema.ts";
import { settingsReply } from "./settings-reply.ts";

/** Returns the route that reads the settings of an app (docs/interface/rest.md#read-settings). */
export function readSettingsRoute(context: SettingsContext): RestRoute<AppParams, undefined> {
  return {
    method: "GET",
    url: "/api/v2/apps/:id/settings",
    schema: { params: appParamsSchema },
    documentation: {
      operationId: "settings",
      summary: "Reads the settings of an app",
      tag: "settings",
      headers: { "If-None-Match": "the entity tag that was read; 304 if nothing has changed since" },
      responses: { 200: settingsResponse, 304: { description: "Nothing has changed", headers: tagHeader } },
    },
    handle: async (call) => {
      const reply = settingsReply(await readSettings(context, call.params.id, call));
      const { headers } = reply;
      return isNoneMatchHit(call.header("if-none-match"), headers.etag) ? { status: 304, headers } : reply;
    },
  };
}
