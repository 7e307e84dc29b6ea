/** Parameters of every route of one app. */
export interface AppParams {
  readonly id: string;
}

export const appParamsSchema = {
  type: "object",
  required: ["id"],
  properties: { id: { type: "string", description: "The name or the id of an app" } },
};

const conditionSchema = {
  type: "object",
  properties: Object.fromEntries(
    ["type", "status", "reason", "message", "lastTransitionTime"].map((name) => [name, { type: "string" }]),
  ),
  required: ["type", "status", "reason", "message", "lastTransitionTime"],
};

/** The tag of the settings of an app. */
export const tagHeader = {
  ETag: { description: "the entity tag, for If-Match and If-None-Match", isRequired: true },
} as const;

/** The settings of an app, as every route responds with them. */
export const settingsResponse = {
  description: "The settings of the app",
  headers: tagHeader,
  schema: {
    type: "object",
    properties: {
      appId: { type: "string" },
      values: { type: "object", description: "effective values by key; secrets are masked" },
      schema: { type: "object", description: "the definitions, in the field names of the manifest" },
      version: { type: "integer", description: "grows with each change" },
      stored: { type: "object", description: "the values that are set, without defaults and secrets" },
      secretsSet: { type: "array", items: { type: "string" }, description: "keys of secrets that have a stored value" },
      updatedAt: { type: ["string", "null"], format: "date-time" },
      updatedBy: { type: ["string", "null"] },
      conditions: { type: "array", items: conditionSchema },
    },
    required: ["appId", "values", "schema", "version", "stored", "secretsSet", "updatedAt", "updatedBy", "conditions"],
  },
};

/** The precondition of a change. */
export const ifMatchHeader = { "If-Match": "the entity tag that was read; 412 if the settings have changed since" };

/** A body with values of settings. */
export interface ValuesBody {
  readonly values: unknown;
}

/** The settings service checks the values themselves, because their types are those of the app's definitions. */
export const valuesBodySchema = {
  type: "object",
  required: ["values"],
  properties: { values: { type: "object", description: "values by key; null removes a value" } },
  additionalProperties: false,
};
