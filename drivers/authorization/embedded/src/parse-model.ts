import type { AuthorizationModel } from "./authorization-model.ts";

/**
 * The JSON form of a model written in OpenFGA's language. Throws an Error that lists the lines at fault.
 *
 * The parser takes a fifth of a second to load, hence on demand: a server starts from the generated JSON.
 */
export async function parseModel(text: string): Promise<AuthorizationModel> {
  const { default: syntax } = await import("@openfga/syntax-transformer");
  return syntax.transformer.transformDSLToJSONObject(text) as AuthorizationModel;
}
