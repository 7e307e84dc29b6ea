import type { RestRoute } from "@appserver/kernel";
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
  /** Version of the platform. */
  readonly version: string;
  /** Name of the session cookie. */
  readonly cookieName: string;
}

/** Returns all routes of REST v2: those of the schema, those of services, and their description. */
export function schemaRoutes({ schema, others, nameOf, version, cookieName }: SchemaRoutesOptions): readonly RestRoute[] {
  const responses = new ResponseSchemas();
  const described = [
    ...others.map((route) => ofApp(route, nameOf)),
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

/** Binds trusted pipelines to the app of a route that is no field of the schema. */
function ofApp(route: RestRoute, nameOf: NameOf): RestRoute {
  const handle: RestRoute["handle"] = async (call) => {
    const { id } = call.params as { readonly id?: string };
    return route.handle(id === undefined ? call : await callOfApp(call, nameOf, id));
  };
  return { ...route, handle };
}
