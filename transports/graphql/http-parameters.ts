import { AppError, invalidField } from "@appserver/kernel";
import { parseJson, textOf } from "../http/json-body.ts";
import type { GraphqlRequest } from "./executor.ts";

export function readJsonParameters(body: Uint8Array): GraphqlRequest {
  return checkParameters(parseJson(textOf(body), "the body"));
}

export function readQueryParameters(url: string): GraphqlRequest {
  const query = url.indexOf("?");
  const parameters = new URLSearchParams(query === -1 ? "" : url.slice(query));
  return checkParameters({
    query: parameters.get("query") ?? undefined,
    operationName: parameters.get("operationName") || undefined,
    variables: parseJson(parameters.get("variables") || "null", "variables"),
    extensions: parseJson(parameters.get("extensions") || "null", "extensions"),
  });
}

/** Returns the parameters with their types, or throws INVALID_REQUEST. `null` counts as absent. WebSockets use it, too. */
export function checkParameters(parameters: unknown): GraphqlRequest {
  if (!isRecord(parameters)) throw new AppError("INVALID_REQUEST", "a request is a JSON object with a query");
  const { query, operationName, variables, extensions } = parameters;
  if (typeof query !== "string" || query === "") throw invalidField("query", "must be a text");
  if (operationName != null && typeof operationName !== "string") throw invalidField("operationName", "must be a text");
  if (variables != null && !isRecord(variables)) throw invalidField("variables", "must be an object");
  if (extensions != null && !isRecord(extensions)) throw invalidField("extensions", "must be an object");
  return { query, operationName: operationName ?? undefined, variables: variables ?? undefined };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
