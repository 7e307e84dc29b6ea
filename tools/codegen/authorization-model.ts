import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Generates `contracts/generated/authorization-model.ts` from `contracts/authorization/model.fga`: the text, and the JSON form
 * that evaluators need. Parsing takes 200 ms, which would otherwise delay every start of the server.
 */
export async function generateAuthorizationModel(): Promise<string> {
  const { transformer, validator } = require("@openfga/syntax-transformer") as typeof import("@openfga/syntax-transformer");
  const text = await readFile(new URL("../../contracts/authorization/model.fga", import.meta.url), "utf8");
  validator.validateDSL(text);
  const model = transformer.transformDSLToJSONObject(text);
  return [
    "// Generated from contracts/authorization/model.fga by `npm run generate`. Do not edit.",
    "",
    'import type { AuthorizationModelJson } from "../authorization/model-json.ts";',
    "",
    "/** Source text of the model. */",
    `export const authorizationModelText: string = ${JSON.stringify(text)};`,
    "",
    "/** The same model in the JSON form of OpenFGA's API. */",
    `export const authorizationModel: AuthorizationModelJson = ${JSON.stringify(model, null, 2)};`,
    "",
  ].join("\n");
}
