/** Parameters of every route of one app. */
export interface AppParams {
  readonly id: string;
}

export const appParamsSchema = {
  type: "object",
  required: ["id"],
  properties: { id: { type: "string", description: "id of the app" } },
};

/** A body with values of settings. */
export interface ValuesBody {
  readonly values: unknown;
}

/** The settings service checks the values themselves, because their types are those of the app's definitions. */
export const valuesBodySchema = {
  type: "object",
  required: ["values"],
  properties: { values: { description: "values by key; null removes a value" } },
};
