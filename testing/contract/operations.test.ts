import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { readSchema } from "@appserver/contracts/graphql";
import { type PlatformOperation, platformOperations, restInputNames, unsharedInputs } from "@appserver/contracts/operations";
import { AccessService } from "@appserver/contracts/proto/appserver/v2/access";
import { ActivityService } from "@appserver/contracts/proto/appserver/v2/activity";
import { DevelopmentService } from "@appserver/contracts/proto/appserver/v2/development";
import { HooksService } from "@appserver/contracts/proto/appserver/v2/hooks";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { SettingsService } from "@appserver/contracts/proto/appserver/v2/settings";
import { createPlatformClient } from "@appserver/sdk";
import { errorOf, type HttpAnswer, jsonOf, type PlatformUnderTest, send, startPlatform } from "@appserver/testing/kit";
import { type DescMessage, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { type CallOptions, Code, ConnectError } from "@connectrpc/connect";
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isRequiredArgument,
} from "graphql";
import { inputsOf, type RestRoute, readRoutes, type ValueSchema } from "./rest-routes.ts";

const services = [
  ["marketplace", MarketplaceService],
  ["hooks", HooksService],
  ["activities", ActivityService],
  ["settings", SettingsService],
  ["access", AccessService],
  ["development", DevelopmentService],
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

/** Inputs whose form is checked before the operation looks for anything, and optional ones with which it can find nothing. */
const examples: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  activities: { appName: missing },
  permissionHolders: { permission: "nothing:view" },
  heldPermissions: { subject: "user:nobody" },
  // Another example creates the account with the other name.
  trustPipeline: { account: "nothing" },
  revokeAccess: { user: "user:nobody", relation: "assignee", object: "role:nobody" },
};

/** Only people call them, and the administrator of a test is none: testing/production/e2e/console/access-requests.test.ts. */
const ofPeople: readonly string[] = ["requestAccess"];

/** Only apps call them, whatever an administrator holds: people.test.ts. */
const ofCallingApps: readonly string[] = ["notifyPerson"];

/** A value that is valid where any value of the type is. */
function exampleOf({ type, format, enum: values }: ValueSchema): unknown {
  if (values) return values[0];
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
  let routes: ReadonlyMap<string, RestRoute>;
  let cookie = "";

  before(async () => {
    platform = await startPlatform();
    cookie = await platform.login("bob");
    routes = await readRoutes(platform);
  });
  after(() => platform?.stop());

  /** Sends the request of a route with an example of everything that it requires, and with the examples of the operation. */
  function sendExample(name: string, headers: Readonly<Record<string, string>>): Promise<HttpAnswer> {
    const { method, path, parameters, body } = routes.get(name) as RestRoute;
    const query = parameters
      .filter((each) => each.in === "query" && (each.required || examples[name]?.[each.name] !== undefined))
      .map((parameter) => `${parameter.name}=${encodeURIComponent(String(exampleOf(parameter.schema)))}`);
    const { required = [], properties } = body ?? { properties: {} };
    const target = path.replace(/\{(\w+)\}/g, (_, segment: string) => examples[name]?.[segment] ?? missing);
    return send(platform.httpUrl, query.length > 0 ? `${target}?${query.join("&")}` : target, {
      method,
      headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body
        ? {
            body: JSON.stringify(
              Object.fromEntries(required.map((each) => [each, examples[name]?.[each] ?? exampleOf(properties[each] ?? {})])),
            ),
          }
        : {}),
    });
  }

  test("every verb is in the catalogue, under its name on each transport", () => {
    for (const [type, root] of Object.entries(roots))
      assert.deepEqual(
        names(({ graphql }) => graphql === type),
        Object.keys(root?.getFields() ?? {}).sort(),
        type,
      );
    assert.deepEqual(
      names(({ rest }) => rest !== undefined),
      [...routes.keys()].sort(),
    );
    const methods = services.flatMap(([, { methods: all, name }]) => all.map((method) => `${name}.${method.name}`));
    const catalogued = Object.values(platformOperations).flatMap(({ grpc }) => grpc ?? []);
    assert.deepEqual(catalogued.toSorted(), methods.toSorted());
  });

  test("docs/interface/rest.md has each route once", () => {
    const page = readFileSync(new URL("../../docs/interface/rest.md", import.meta.url), "utf8");
    const served = [...routes.values()].map(({ method, path }) => `${method} ${path}`);
    const documented = [...page.matchAll(/^\| ([A-Z, ]+) \| (`.*`) \|/gm)].flatMap(([, methods = "", cell = ""]) => {
      const [first = "", ...others] = [...cell.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
      return methods.split(", ").flatMap((method) => {
        const whole = (path: string) => path.replace(/^…/, () => beginningOf(first, path.slice(1), method, served));
        return [first, ...others].map((path) => `${method} ${whole(path)}`);
      });
    });
    assert.deepEqual(documented.filter((route) => route.includes(" /api/v2/")).sort(), served.sort());
  });

  test("REST has the inputs of GraphQL", () => {
    for (const [name, { graphql, rest }] of Object.entries(platformOperations)) {
      const route = rest && routes.get(name);
      const field = graphql && roots[graphql]?.getFields()[name];
      if (!route || !field) continue;
      const args = field.args.flatMap(({ name: arg, type }) => {
        const value = getNullableType(type);
        return isInputObjectType(value) ? Object.keys(value.getFields()) : [arg];
      });
      const inputs = inputsOf(route).map((input) =>
        args.includes(input) ? input : (restInputNames[input]?.find((arg) => args.includes(arg)) ?? input),
      );
      const isOfHeader = (input: string) => unsharedInputs[name]?.[input]?.startsWith("`If-Match`");
      assert.deepEqual(inputs.sort(), args.filter((arg) => !isOfHeader(arg)).sort(), name);
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
      const { code, details } = errorOf(await sendExample(name, { cookie }));
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

  /** The administrator asks for something that does not exist. Checks that NOT_FOUND is the code where the catalogue has it. */
  function assertNotFound(found: ReadonlyMap<string, string | undefined>): void {
    assert.deepEqual(
      [...found].filter(([, code]) => isMissing(code ?? "")),
      [],
    );
    const missed = [...found].filter(([, code]) => code === "NOT_FOUND").map(([name]) => name);
    const declared = [...found.keys()].filter((name) => platformOperations[name]?.errors?.includes("NOT_FOUND"));
    assert.deepEqual(missed.sort(), declared.sort());
  }

  test("GraphQL does all operations for the administrator, or finds nothing", async () => {
    const found = new Map<string, string | undefined>();
    for (const [name, { graphql }] of Object.entries(platformOperations)) {
      if (graphql === undefined || graphql === "subscription" || ofPeople.includes(name)) continue;
      const root = roots[graphql] as GraphQLObjectType;
      const { data, errors } = await platform.graphql(documentOf(graphql, root, name));
      // A query returns null instead.
      const isNull = graphql === "query" && (data as Readonly<Record<string, unknown>> | null)?.[name] === null;
      found.set(name, isNull ? "NOT_FOUND" : errors?.[0]?.extensions.code);
    }
    assertNotFound(found);
  });

  test("REST does all operations for the administrator, or finds nothing", async () => {
    const found = new Map<string, string | undefined>();
    for (const [name, { rest }] of Object.entries(platformOperations)) {
      if (!rest || ofPeople.includes(name)) continue;
      const { status, text } = await sendExample(name, platform.administrator);
      found.set(name, status >= 400 ? (JSON.parse(text) as { readonly code: string }).code : undefined);
    }
    assertNotFound(found);
  });

  test("gRPC does all operations for the administrator, or finds nothing", async () => {
    const client = platform.client();
    const found = new Map<string, string | undefined>();
    for (const [name, { grpc }] of Object.entries(platformOperations))
      for (const [key, service] of services)
        for (const method of service.methods) {
          if (ofCallingApps.includes(name)) continue;
          // Without a first message, a bidirectional stream does not say what it is about.
          if (grpc !== `${service.name}.${method.name}` || method.methodKind === "bidi_streaming") continue;
          const error = await failureOf((client[key] as unknown as Record<string, MethodCall>)[method.localName], method);
          found.set(name, error && (reasonOf(error) ?? Code[error.code]));
        }
    assertNotFound(found);
  });
});

/** Returns what `…` stands for: the beginning of the first path of the cell, so that a route has this path. */
function beginningOf(first: string, rest: string, method: string, served: readonly string[]): string {
  const parts = first.split("/");
  const beginnings = parts.map((_, index) => parts.slice(0, index).join("/"));
  return beginnings.findLast((beginning) => served.includes(`${method} ${beginning}${rest}`)) ?? "…";
}

function documentOf(type: string, root: GraphQLObjectType, name: string): string {
  const field = root.getFields()[name];
  assert.ok(field, name);
  const passed = field.args
    .filter((argument) => isRequiredArgument(argument) || examples[name]?.[argument.name] !== undefined)
    .map((argument) => `${argument.name}: ${literalOf(argument, examples[name]?.[argument.name])}`);
  const selection = isLeafType(getNamedType(field.type)) ? "" : " { __typename }";
  return `${type} { ${name}${passed.length > 0 ? `(${passed.join(", ")})` : ""}${selection} }`;
}

function literalOf({ type }: GraphQLArgument, example: string | undefined): string {
  const literals: Readonly<Record<string, string>> = {
    Boolean: "true",
    Int: "1",
    Float: "1",
    DateTime: '"2026-01-01T00:00:00Z"',
    JSON: "{}",
    NotificationTargetKind: "WEBHOOK",
    PipelineProvider: "GITHUB",
    AccessDecision: "GRANT",
  };
  const literal = literals[getNamedType(type).name] ?? `"${example ?? missing}"`;
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
