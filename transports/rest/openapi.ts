import { errorCatalogue } from "@appserver/contracts/errors";
import type { RestDocumentation, RestHeader, RestRoute } from "@appserver/kernel";
import { idempotencyKeySchema, replayedHeader } from "./idempotent-requests.ts";

export interface OpenApiOptions {
  readonly routes: readonly RestRoute[];
  /** Schemas that the routes refer to, by name. */
  readonly components: Readonly<Record<string, object>>;
  /** Version of the platform. */
  readonly version: string;
  /** Name of the session cookie. */
  readonly cookieName: string;
}

/** Returns the OpenAPI 3.1 document of the routes. It has the schemas that check requests. */
export function openApiDocument({ routes, components, version, cookieName }: OpenApiOptions): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.url.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  const tags = [...new Set(routes.map(({ documentation }) => documentation.tag))].sort();
  return {
    openapi: "3.1.0",
    info: { title: "Appserver", version, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    servers: [{ url: "/" }],
    security: [{ session: [] }, { bearer: [] }, { appName: [], appSignature: [], appTimestamp: [] }, {}],
    tags: tags.map((name) => ({ name, description: descriptionOf(name) })),
    paths,
    components: {
      schemas: { ...components, Error: errorSchema, ProblemDetails: problemSchema },
      responses: Object.fromEntries(
        Object.entries(errorResponses).map(([status, description]) => [`Error${status}`, errorResponse(status, description)]),
      ),
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: cookieName },
        bearer: { type: "http", scheme: "bearer", description: "the session token" },
        appName: { type: "apiKey", in: "header", name: "X-App-Name" },
        appSignature: { type: "apiKey", in: "header", name: "X-App-Signature" },
        appTimestamp: { type: "apiKey", in: "header", name: "X-Request-Timestamp" },
      },
    },
  };
}

/** What the operations of a tag are about. */
const tagDescriptions: Readonly<Record<string, string>> = {
  access: "Who holds which permission, and why",
  activities: "Background work of apps: runs and schedules",
  approvals: "The permissions that apps ask for",
  apps: "Apps: their life, plans and parts",
  audit: "What callers did",
  events: "What happened to apps",
  hooks: "Messages between apps",
  operations: "Commands that are still running, or have ended",
  platform: "The platform itself, and this API",
  settings: "Settings of apps",
  traces: "Requests with everything that they caused, in all apps",
  backups: "Backups of the whole platform",
  notifications: "Incidents, and receivers of events outside of the platform",
};

/** Throws for a tag without a description. */
function descriptionOf(tag: string): string {
  const description = tagDescriptions[tag];
  if (description === undefined) throw new Error(`the tag ${tag} has no description`);
  return description;
}

const errorCodes = Object.keys(errorCatalogue);

/** The responses that every route may have in addition to its own. */
const errorResponses: Readonly<Record<number, string>> = {
  400: "The request is not valid",
  401: "The caller is not known",
  403: "The caller may not do this",
  404: "There is no such thing",
  409: "The state does not allow it, or another request works on it",
  412: "If-Match names another version",
  413: "The body is too large",
  415: "The body has another media type than application/json",
  422: "The Idempotency-Key was used for another request",
  429: "Too many requests",
  500: "The platform failed",
  502: "An app's backend failed",
  503: "A part of the platform is not available",
  504: "An app's backend did not respond in time",
};

/** Only for methods with a body, or with a precondition. */
const withBody = new Set(["413", "415"]);
const unsafeOnly = new Set(["412", "422"]);

/** Errors that say when to repeat the request. */
const repeatable = new Set(["429", "503"]);
const retryAfter = { "Retry-After": { description: "seconds until the request may be repeated", isRequired: true } };

const requestId = { "X-Request-ID": { description: "the id of the request in the logs", isRequired: true } };

/** Returns the description of a response's headers with those of every response. */
function headersOf(own: Readonly<Record<string, RestHeader>>): object {
  return Object.fromEntries(
    Object.entries({ ...requestId, ...own }).map(([name, { description, isRequired }]) => [
      name,
      { description, ...(isRequired ? { required: true } : {}), schema: { type: "string" } },
    ]),
  );
}

const errorSchema = {
  type: "object",
  properties: {
    error: { type: "string" },
    code: { type: "string", enum: errorCodes },
    details: { type: "object" },
  },
  required: ["error", "code", "details"],
};

const problemSchema = {
  type: "object",
  description: "RFC 9457, for `Accept: application/problem+json`",
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    code: { type: "string", enum: errorCodes },
    details: { type: "object" },
  },
  required: ["type", "title", "status", "detail", "code", "details"],
};

function errorResponse(status: string, description: string): object {
  return {
    description,
    headers: headersOf(repeatable.has(status) ? retryAfter : {}),
    content: {
      "application/json": { schema: { $ref: "#/components/schemas/Error" } },
      "application/problem+json": { schema: { $ref: "#/components/schemas/ProblemDetails" } },
    },
  };
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

function operationOf({ method, schema, documentation }: RestRoute): object {
  const { operationId, summary, tag, responses, headers = {}, limits = {} } = documentation;
  const isUnsafe = method !== "GET";
  const parameters = [
    ...parametersOf("path", documented(schema.params, limits)),
    ...parametersOf("query", documented(schema.query, limits)),
    ...Object.entries(headers).map(([name, description]) => ({ name, in: "header", description, schema: { type: "string" } })),
    ...(isUnsafe ? [idempotencyKey] : []),
  ];
  const body = documented(schema.body, limits) as ObjectSchema | undefined;
  return {
    operationId,
    summary,
    tags: [tag],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? { requestBody: { required: (body.required ?? []).length > 0, content: { "application/json": { schema: body } } } }
      : {}),
    responses: { ...ownResponses(responses, isUnsafe ? replayedHeader : {}), ...errorsOf(isUnsafe, body !== undefined) },
  };
}

/** No text with NUL is accepted (docs/interface/rest.md#requests). */
const storableText = "^[^\\u0000]*$";

/** Returns the schema of an object with what the document says of its properties in addition. */
function documented(schema: object | undefined, limits: Readonly<Record<string, object>>): object | undefined {
  const { properties } = (schema ?? {}) as ObjectSchema;
  if (schema === undefined || properties === undefined) return schema;
  const entries = Object.entries(properties).map(([name, property]) => [name, withLimits(property, limits[name] ?? {})]);
  return { ...schema, properties: Object.fromEntries(entries) };
}

interface PropertySchema extends ObjectSchema {
  readonly type?: unknown;
  readonly anyOf?: readonly PropertySchema[];
  readonly items?: PropertySchema;
}

function withLimits(property: PropertySchema, limits: object): object {
  const { type, anyOf, items, properties } = property;
  if (anyOf) return { ...property, anyOf: anyOf.map((each) => (each.type === "null" ? each : withLimits(each, limits))) };
  if (type === "array" && items) return { ...property, items: withLimits(items, limits) };
  if (type === "object" && properties) return { ...documented(property, {}), ...limits };
  if (type !== "string" || "enum" in property || "format" in property) return { ...property, ...limits };
  const known = { ...property, ...limits };
  return "pattern" in known || "enum" in known || "format" in known ? known : { ...known, pattern: storableText };
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "1 to 255 visible characters. A request that is repeated with its key within 24 hours does nothing, and gets what the first one made.",
  schema: idempotencyKeySchema,
};

function parametersOf(place: "path" | "query", schema: object | undefined): readonly object[] {
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema;
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property as { readonly description?: string };
    const isRequired = place === "path" || required.includes(name);
    return {
      name,
      in: place,
      ...(isRequired ? { required: true } : {}),
      ...(description ? { description } : {}),
      schema: rest,
    };
  });
}

function ownResponses(responses: RestDocumentation["responses"], ofMethod: Readonly<Record<string, RestHeader>>): object {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { description, headers = {}, mediaType = "application/json", schema, others = {} } = response;
      const schemas = { ...(schema ? { [mediaType]: schema } : {}), ...others };
      const content = Object.fromEntries(Object.entries(schemas).map(([type, each]) => [type, { schema: each }]));
      const described = { description, headers: headersOf({ ...headers, ...ofMethod }) };
      return [status, { ...described, ...(Object.keys(content).length > 0 ? { content } : {}) }];
    }),
  );
}

function errorsOf(isUnsafe: boolean, hasBody: boolean): object {
  const statuses = Object.keys(errorResponses).filter(
    (status) => (hasBody || !withBody.has(status)) && (isUnsafe || !unsafeOnly.has(status)),
  );
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]));
}
