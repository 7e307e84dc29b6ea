import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { readSchema } from "@appserver/contracts/graphql";
import { type PlatformOperation, platformOperations } from "@appserver/contracts/operations";
import { ActivityService } from "@appserver/contracts/proto/appserver/v2/activity";
import { HooksService } from "@appserver/contracts/proto/appserver/v2/hooks";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { SettingsService } from "@appserver/contracts/proto/appserver/v2/settings";
import { TraceService } from "@appserver/contracts/proto/appserver/v2/traces";
import { createPlatformClient } from "@appserver/sdk";
import { errorOf, jsonOf, type PlatformUnderTest, send, startPlatform } from "@appserver/testing/kit";
import { type DescMessage, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { type CallOptions, Code, ConnectError } from "@connectrpc/connect";
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLObjectType,
  getNamedType,
  isLeafType,
  isRequiredArgument,
} from "graphql";

const services = [
  ["marketplace", MarketplaceService],
  ["hooks", HooksService],
  ["activities", ActivityService],
  ["settings", SettingsService],
  ["traces", TraceService],
] as const;
const schema = buildSchema(readSchema());
const roots = {
  query: schema.getQueryType(),
  mutation: schema.getMutationType(),
  subscription: schema.getSubscriptionType(),
} as const;
/** Streams of changes have no end of their own. */
const streamMs = 1_000;
/** The id and name of nothing. */
const missing = "01a207a9-4200-700a-9f12-134197748461";

interface Route {
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}
interface Described {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: BodySchema }>> };
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
    readonly schema: ValueSchema;
  }[];
}
interface ValueSchema {
  readonly type?: string;
  readonly format?: string;
}
interface BodySchema {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, ValueSchema>>;
}

/** A value that is valid where any value of the type is. */
function exampleOf({ type, format }: ValueSchema): unknown {
  if (format === "date-time") return "2026-01-01T00:00:00Z";
  return { string: missing, integer: 1, number: 1, boolean: true, array: [missing], object: {} }[type ?? "object"];
}

const names = (has: (operation: PlatformOperation) => boolean): readonly string[] =>
  Object.entries(platformOperations)
    .filter(([, operation]) => has(operation))
    .map(([name]) => name)
    .sort();

describe("the operations of the platform", () => {
  let platform: PlatformUnderTest;
  let routes: ReadonlyMap<string, Route>;
  let cookie = "";

  before(async () => {
    platform = await startPlatform();
    cookie = await platform.login("bob");
    const { paths } = jsonOf(await send(platform.httpUrl, "/api/v2/openapi.json", { headers: platform.administrator })) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
    };
    routes = new Map(
      Object.entries(paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(
          ([method, described]) => [described.operationId, routeOf(method, path, described)] as const,
        ),
      ),
    );
  });
  after(() => platform?.stop());

  function routeOf(method: string, path: string, { parameters = [], requestBody }: Described): Route {
    const query = parameters
      .filter((parameter) => parameter.in === "query" && parameter.required)
      .map(({ name, schema: of }) => `${name}=${encodeURIComponent(String(exampleOf(of)))}`);
    const { required = [], properties } = requestBody?.content["application/json"]?.schema ?? { properties: {} };
    return {
      method: method.toUpperCase(),
      path: `${path.replace(/\{\w+\}/g, missing)}${query.length > 0 ? `?${query.join("&")}` : ""}`,
      body: requestBody && Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})])),
    };
  }

  test("every verb is in the catalogue, under its name on each transport", () => {
    for (const [type, root] of Object.entries(roots))
      assert.deepEqual(
        names(({ graphql }) => graphql === type),
        Object.keys(root?.getFields() ?? {}).sort(),
        type,
      );
    assert.deepEqual(
      names(({ rest }) => rest === true),
      [...routes.keys()].sort(),
    );
    const methods = services.flatMap(([, { methods: all, name }]) => all.map((method) => `${name}.${method.name}`));
    const catalogued = Object.values(platformOperations).flatMap(({ grpc }) => grpc ?? []);
    assert.deepEqual(catalogued.toSorted(), methods.toSorted());
  });

  test("an operation that a transport lacks says why", () => {
    for (const [name, operation] of Object.entries(platformOperations)) {
      const isEverywhere = operation.graphql !== undefined && operation.grpc !== undefined && operation.rest === true;
      assert.equal(operation.absent === undefined, isEverywhere, name);
    }
  });

  const protectedBy = (permission: string, transport: string, name: string, found: readonly unknown[]) =>
    assert.deepEqual(found, ["PERMISSION_DENIED", permission], `${name} over ${transport}`);

  test("GraphQL needs the permission of the catalogue", async () => {
    for (const [name, { graphql, permission }] of Object.entries(platformOperations)) {
      if (graphql === undefined || graphql === "subscription" || typeof permission !== "string") continue;
      const answer = await send(platform.httpUrl, "/graphql", {
        method: "POST",
        headers: { "content-type": "application/json", cookie },
        body: JSON.stringify({ query: documentOf(graphql, roots[graphql] as GraphQLObjectType, name) }),
      });
      const { errors } = jsonOf(answer) as {
        readonly errors?: readonly { readonly extensions: Readonly<Record<string, unknown>> }[];
      };
      const { code, permission: needed } = errors?.[0]?.extensions ?? {};
      protectedBy(permission, "GraphQL", name, [code, needed]);
    }
  });

  test("REST needs the permission of the catalogue", async () => {
    for (const [name, { rest, permission }] of Object.entries(platformOperations)) {
      if (!rest || typeof permission !== "string") continue;
      const { method, path, body } = routes.get(name) as Route;
      const answer = await send(platform.httpUrl, path, {
        method,
        headers: { cookie, ...(body ? { "content-type": "application/json" } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const { code, details } = errorOf(answer);
      protectedBy(permission, "REST", name, [code, (details as Readonly<Record<string, unknown>>)["permission"]]);
    }
  });

  test("gRPC needs the permission of the catalogue", async () => {
    const token = await platform.sessionToken("bob");
    const client = createPlatformClient({ grpcUrl: platform.grpcUrl, token });
    const byMethod = new Map(
      Object.entries(platformOperations).flatMap(([name, each]) => (each.grpc ? [[each.grpc, { name, ...each }]] : [])),
    );
    for (const [key, service] of services)
      for (const method of service.methods) {
        const { name, permission } = byMethod.get(`${service.name}.${method.name}`) as { name: string } & PlatformOperation;
        if (typeof permission !== "string") continue;
        const call = (client[key] as unknown as Record<string, MethodCall>)[method.localName];
        const error = await failureOf(call, method);
        protectedBy(permission, "gRPC", name, [
          error && reasonOf(error),
          /permission (\S+)/.exec(error?.rawMessage ?? "")?.[1],
        ]);
      }
  });

  /** What a caller gets where a part is missing or broken. */
  const isMissing = (code: string): boolean => /SERVICE_UNAVAILABLE|INTERNAL_ERROR|UNIMPLEMENTED|NOT_IMPLEMENTED/i.test(code);

  test("no operation of GraphQL or REST is unavailable to the administrator", async () => {
    const found: string[] = [];
    for (const [name, { graphql, rest }] of Object.entries(platformOperations)) {
      if (graphql !== undefined && graphql !== "subscription") {
        const { errors = [] } = await platform.graphql(documentOf(graphql, roots[graphql] as GraphQLObjectType, name));
        found.push(...errors.map(({ extensions }) => `${name} over GraphQL: ${extensions.code}`));
      }
      const route = rest ? routes.get(name) : undefined;
      if (!route) continue;
      const headers = { ...platform.administrator, ...(route.body ? { "content-type": "application/json" } : {}) };
      const body = route.body ? { body: JSON.stringify(route.body) } : {};
      const { status, text } = await send(platform.httpUrl, route.path, { method: route.method, headers, ...body });
      if (status >= 400) found.push(`${name} over REST: ${(JSON.parse(text) as { readonly code: string }).code}`);
    }
    assert.deepEqual(found.filter(isMissing), []);
    assert.ok(found.length > 20, "most operations are about an app that does not exist");
  });

  test("no method of gRPC is unavailable to the administrator", async () => {
    const client = platform.client();
    const found: string[] = [];
    for (const [key, service] of services)
      for (const method of service.methods) {
        const call = (client[key] as unknown as Record<string, MethodCall>)[method.localName];
        const error = await failureOf(call, method);
        if (error) found.push(`${service.name}.${method.name}: ${reasonOf(error) ?? Code[error.code]}`);
      }
    assert.deepEqual(found.filter(isMissing), []);
  });
});

function documentOf(type: string, root: GraphQLObjectType, name: string): string {
  const field = root.getFields()[name];
  assert.ok(field, name);
  const passed = field.args.filter(isRequiredArgument).map((argument) => `${argument.name}: ${literalOf(argument)}`);
  const selection = isLeafType(getNamedType(field.type)) ? "" : " { __typename }";
  return `${type} { ${name}${passed.length > 0 ? `(${passed.join(", ")})` : ""}${selection} }`;
}

function literalOf({ type }: GraphQLArgument): string {
  const literals: Readonly<Record<string, string>> = {
    Boolean: "true",
    Int: "1",
    DateTime: '"2026-01-01T00:00:00Z"',
    JSON: "{}",
  };
  const literal = literals[getNamedType(type).name] ?? `"${missing}"`;
  return String(type).startsWith("[") ? `[${literal}]` : literal;
}

type MethodCall = (request: object, options: CallOptions) => unknown;

async function failureOf(call: MethodCall | undefined, { methodKind, input }: DescMethod): Promise<ConnectError | undefined> {
  try {
    const isStreamed = methodKind === "client_streaming" || methodKind === "bidi_streaming";
    const options = methodKind === "unary" ? {} : { signal: AbortSignal.timeout(streamMs) };
    const result = call?.(isStreamed ? (async function* () {})() : exampleMessage(input), options);
    if (methodKind === "server_streaming" || methodKind === "bidi_streaming")
      for await (const _ of result as AsyncIterable<unknown>) break;
    else await result;
    return undefined;
  } catch (error) {
    return ConnectError.from(error);
  }
}

/** A message with a text in every text field, and a time in every time. */
function exampleMessage({ fields }: DescMessage): object {
  return Object.fromEntries(
    fields.flatMap((field): [string, unknown][] => {
      if (field.fieldKind === "scalar" && field.scalar === ScalarType.STRING) return [[field.localName, missing]];
      const isTime = field.fieldKind === "message" && field.message.typeName === "google.protobuf.Timestamp";
      return isTime ? [[field.localName, { seconds: 1n, nanos: 0 }]] : [];
    }),
  );
}

/** Returns the code that ErrorInfo has. */
function reasonOf(error: ConnectError): string | undefined {
  return error.details
    .map((detail) => ("value" in detail ? Buffer.from(detail.value as Uint8Array).toString("latin1") : ""))
    .map((text) => /[A-Z]+_[A-Z_]+/.exec(text)?.[0])
    .find(Boolean);
}
