import type { ToolOperation } from "./app-tool-source.ts";
import type { PathParameter, RouteTemplate } from "./route-template.ts";
import { confirmArgument, confirmSchema, invalidArgument, type ToolDefinition, type Values } from "./tool.ts";

/** Characters of a schema. Larger ones of apps are left out, so that ten tools fit into a result. */
const maxSchemaLength = 4_000;
const maxQueryParameters = 100;
const maxQueryName = 100;

const withBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/** Returns the arguments of a route: those of its path, its query and its body, and the confirmation of a change. */
export function argumentsSchema(
  template: RouteTemplate,
  method: string,
  described: ToolOperation | undefined,
): ToolDefinition["inputSchema"] {
  const params = template.parameters.map((parameter): [string, object] => [
    parameter.name,
    pathSchema(parameter, described?.parameters.find((each) => each.in === "path" && each.name === parameter.name)?.schema),
  ]);
  const query = queryParameters(described);
  const body = described ? described.body?.schema : withBody.has(method) ? {} : undefined;
  const isBodyRequired = described?.body?.required === true;
  const isQueryRequired = query.some(({ required }) => required);
  return {
    type: "object",
    properties: {
      ...(params.length > 0 && {
        params: {
          type: "object",
          properties: Object.fromEntries(params),
          required: params.map(([name]) => name),
          additionalProperties: false,
        },
      }),
      ...(described === undefined && { query: { type: "object", additionalProperties: { type: "string" } } }),
      ...(query.length > 0 && {
        query: {
          type: "object",
          properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
          required: query.filter(({ required }) => required).map(({ name }) => name),
          additionalProperties: false,
        },
      }),
      ...(body && { body }),
      ...(!isReading(method) && { [confirmArgument]: confirmSchema }),
    },
    required: [
      ...(params.length > 0 ? ["params"] : []),
      ...(isQueryRequired ? ["query"] : []),
      ...(isBodyRequired ? ["body"] : []),
    ],
    additionalProperties: false,
  } as ToolDefinition["inputSchema"];
}

function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function pathSchema({ isList }: PathParameter, described: object = { type: "string" }): object {
  return isList ? { type: "array", items: { type: "string" }, description: "The segments of the path, in order" } : described;
}

function queryParameters(described: ToolOperation | undefined) {
  return described?.parameters.filter((parameter) => parameter.in === "query") ?? [];
}

/** Returns the operation as it is kept: without its schemas if they are large. */
export function boundedOperation(operation: ToolOperation): ToolOperation {
  const { body, parameters } = operation;
  if (JSON.stringify([body, parameters]).length <= maxSchemaLength) return operation;
  return {
    ...operation,
    parameters: parameters.map((parameter) => ({ ...parameter, schema: {} })),
    body: body && { ...body, schema: {} },
  };
}

/**
 * Returns the query with its `?`, percent-encoded. Empty without values. Lists become repeated parameters. Throws INVALID_REQUEST for a value that
 * is neither text, number, boolean nor a list of these, and for parameters that a description does not have or that it requires.
 */
export function queryOf(values: Values, described: ToolOperation | undefined): string {
  const entries = Object.entries(values);
  if (entries.length > maxQueryParameters) throw invalidArgument("query", `must have at most ${maxQueryParameters} parameters`);
  const known = queryParameters(described);
  for (const { name, required } of known)
    if (required && !Object.hasOwn(values, name)) throw invalidArgument(`query.${name}`, "is required");
  const pairs = entries.flatMap(([name, value]) => {
    const field = `query.${name.slice(0, maxQueryName)}`;
    if (name === "" || name.length > maxQueryName || (described && !known.some((parameter) => parameter.name === name)))
      throw invalidArgument(field, "is unknown");
    const list = Array.isArray(value) ? value : [value];
    if (list.length > maxQueryParameters) throw invalidArgument(field, `must have at most ${maxQueryParameters} values`);
    return list.map((each) => `${encodeURIComponent(name)}=${encodeURIComponent(textOf(each, field))}`);
  });
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}

function textOf(value: unknown, field: string): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw invalidArgument(field, "must be a text, a number, a boolean or a list of these");
}
