import type { RestCall, RestRoute } from "@appserver/kernel";
import type { GraphQLSchema } from "graphql";
import { callOfApp, type NameOf } from "../bound-calls.ts";
import { docsPage, docsPolicy } from "./docs-page.ts";
import { endpoints } from "./endpoint.ts";
import { endpointRoute } from "./endpoint-route.ts";
import { openApiDocument } from "./openapi.ts";
import { ResponseSchemas } from "./response-schemas.ts";

export interface SchemaRoutesOptions {
  readonly schema: GraphQLSchema;
  /** The routes that services have themselves. */
  readonly others: readonly RestRoute[];
  readonly nameOf: NameOf;
  /** Returns the id of the app with this name, undefined if there is none. */
  readonly idOf: (name: string) => Promise<string | undefined>;
  /** Version of the platform. */
  readonly version: string;
  /** Name of the session cookie. */
  readonly cookieName: string;
}

/** Returns all routes of REST v2: those of the schema, those of services, and their description. */
export function schemaRoutes({ schema, others, nameOf, idOf, version, cookieName }: SchemaRoutesOptions): readonly RestRoute[] {
  const responses = new ResponseSchemas();
  const described = [
    ...others.map((route) => ofApp(route, { nameOf, idOf })),
    ...endpoints.map((endpoint) => endpointRoute(endpoint, { schema, responses, nameOf })),
  ];
  let document: object | undefined;
  const openApi: RestRoute = {
    method: "GET",
    url: "/api/v2/openapi.json",
    schema: {},
    documentation: {
      operationId: "openApi",
      summary: "Reads this document",
      tag: "platform",
      responses: { 200: { description: "OpenAPI 3.1", schema: { type: "object" } } },
    },
    handle: async () => {
      document ??= openApiDocument({ routes, components: responses.components, version, cookieName });
      return { status: 200, headers: { "cache-control": "private, no-cache" }, json: document };
    },
  };
  const docs: RestRoute = {
    method: "GET",
    url: "/api/v2/docs",
    schema: {},
    documentation: {
      operationId: "docs",
      summary: "Shows this API as a page",
      tag: "platform",
      responses: { 200: { description: "A page", mediaType: "text/html", schema: { type: "string" } } },
    },
    handle: async () => ({
      status: 200,
      headers: { "content-security-policy": docsPolicy, "cache-control": "private, no-cache" },
      html: docsPage([...described, openApi, docs], responses.components),
    }),
  };
  const routes = [...described, openApi, docs];
  return routes;
}

/** Lets a route that is no field of the schema take the name of an app for its id, and binds trusted pipelines to the app. */
function ofApp(route: RestRoute, { nameOf, idOf }: Pick<SchemaRoutesOptions, "nameOf" | "idOf">): RestRoute {
  const handle: RestRoute["handle"] = async (call) => {
    const { id: given, ...others } = call.params as { readonly id?: string };
    if (given === undefined) return route.handle(call);
    const id = (await idOf(given)) ?? given;
    const ofId = withParams(call, { ...others, id });
    return route.handle(await callOfApp(ofId, nameOf, id));
  };
  return { ...route, handle };
}

function withParams(call: RestCall, params: object): RestCall {
  const { caller, signal, requestId, traceparent, required, query, target, body } = call;
  return { caller, signal, requestId, traceparent, required, query, target, body, params, header: (name) => call.header(name) };
}
