import type { RestRoute } from "@appserver/kernel";
import type { SettingsContext } from "../../use-cases/context.ts";
import { validateSettings } from "../../use-cases/update-settings.ts";
import { type AppParams, appParamsSchema, type ValuesBody, valuesBodySchema } from "./app-settings-schema.ts";

const texts = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, { type: "string" }]));

const validationSchema = {
  type: "object",
  properties: {
    valid: { type: "boolean" },
    errors: {
      type: "array",
      items: { type: "object", properties: texts(["key", "code", "message"]), required: ["key", "code", "message"] },
    },
  },
  required: ["valid", "errors"],
};

/** Returns the route that checks values without writing them (docs/interface/rest.md#validate-settings). */
export function validateSettingsRoute(context: SettingsContext): RestRoute<AppParams, ValuesBody> {
  return {
    method: "POST",
    url: "/api/v2/apps/:id/settings/validate",
    schema: { params: appParamsSchema, body: valuesBodySchema },
    documentation: {
      operationId: "validateSettings",
      summary: "Checks values without writing them",
      tag: "settings",
      responses: { 200: { description: "What is wrong with the values", schema: validationSchema } },
    },
    handle: async (call) => {
      const { params, body } = call;
      const found = await validateSettings(context, { appId: params.id, values: body.values }, call);
      const errors = found.map(({ field, code, message }) => ({ key: field, code, message }));
      return { status: 200, json: { valid: errors.length === 0, errors } };
    },
  };
}
