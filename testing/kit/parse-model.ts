import type { AuthorizationModelJson } from "@appserver/contracts/authorization";

/**
 * Converts a model in OpenFGA's language to its JSON form. Throws an Error that lists the invalid lines. The parser takes a fifth of a
 * second to load, so it is loaded on demand.
 */
export async function parseModel(text: string): Promise<AuthorizationModelJson> {
  const { default: syntax } = await import("@openfga/syntax-transformer");
  return syntax.transformer.transformDSLToJSONObject(text) as AuthorizationModelJson;
}
