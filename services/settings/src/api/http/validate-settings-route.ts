import type { RestRoute } from "@appserver/kernel";
import type { SettingsContext } from "../../use-cases/context.ts";
import { validateSettings } from "../../use-cases/update-settings.ts";
import { type AppParams, appParamsSchema, type ValuesBody, valuesBodySchema } from "./app-settings-schema.ts";

/** Returns the route that checks values without writing them (docs/interface/rest.md#validate-settings). */
export function validateSettingsRoute(context: SettingsContext): RestRoute<AppParams, ValuesBody> {
  return {
    method: "POST",
    url: "/api/v2/apps/:id/settings/validate",
    schema: { params: appParamsSchema, body: valuesBodySchema },
    handle: async (call) => {
      const { params, body } = call;
      const found = await validateSettings(context, { appId: params.id, values: body.values }, call);
      const errors = found.map(({ field, code, message }) => ({ key: field, code, message }));
      return { status: 200, json: { valid: errors.length === 0, errors } };
    },
  };
}
