import type { SettingsContext } from "../../use-cases/context.ts";
import { readSettings } from "../../use-cases/read-settings.ts";
import { type AppParams, appParamsSchema, type HttpRoute } from "./http-route.ts";
import { settingsReply } from "./settings-reply.ts";

/** Returns the route that reads the settings of an app (docs/interface/rest.md#read-settings). */
export function readSettingsRoute(context: SettingsContext): HttpRoute<AppParams> {
  return {
    method: "GET",
    url: "/api/v2/apps/:id/settings",
    schema: { params: appParamsSchema },
    handle: async ({ params, caller, header }) => {
      const reply = settingsReply(await readSettings(context, params.id, caller));
      return header("if-none-match") === reply.headers.etag ? { status: 304, headers: reply.headers } : reply;
    },
  };
}
