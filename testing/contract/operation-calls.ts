import assert from "node:assert/strict";
import { type ErrorCode, errorCatalogue, errorDomain } from "@appserver/contracts/errors";
import { readSchema } from "@appserver/contracts/graphql";
import { grpcInputNames, type InputNames, platformOperations, restInputNames } from "@appserver/contracts/operations";
import { AccessService } from "@appserver/contracts/proto/appserver/v2/access";
import { ActivityService } from "@appserver/contracts/proto/appserver/v2/activity";
import { HooksService } from "@appserver/contracts/proto/appserver/v2/hooks";
import { MarketplaceService } from "@appserver/contracts/proto/appserver/v2/marketplace";
import { SettingsService } from "@appserver/contracts/proto/appserver/v2/settings";
import { BadRequestSchema, ErrorInfoSchema } from "@appserver/contracts/proto/google/rpc/error_details";
import { createPlatformClient } from "@appserver/sdk";
import { errorOf, type GraphqlAnswer, jsonOf, type PlatformUnderTest, send } from "@appserver/testing/kit";
import { type DescMethod, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { type CallOptions, Code, ConnectError } from "@connectrpc/connect";
import { buildSchema, type GraphQLField, getNamedType, isLeafType, isNonNullType } from "graphql";
import { createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { inputsOf, type RestRoute, readRoutes } from "./rest-routes.ts";

/** An error that an operation is expected to throw. */
export interface Cause {
  readonly code: ErrorCode;
  readonly operation: string;
  /** By the names of GraphQL; of an operation without GraphQL, by those of its transport. */
  readonly args?: JsonObject;
  /** Status of REST, if it is not that of the code. */
  readonly status?: number;
  /** Credentials. Default: those of the administrator. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the details must contain. */
  readonly details?: Readonly<Record<string, unknown>>;
}

type Details = Readonly<Record<string, unknown>>;
type MethodCall = (request: unknown, options: CallOptions) => Promise<unknown> | AsyncIterable<unknown>;

const services = {
  marketplace: MarketplaceService,
  hooks: HooksService,
  activities: ActivityService,
  settings: SettingsService,
  access: AccessService,
};
const schema = buildSchema(readSchema());
const roots = {
  query: schema.getQueryType(),
  mutation: schema.getMutationType(),
  subscription: schema.getSubscriptionType(),
} as const;

/** Calls operations on every transport that has them, and checks the exact form of their errors (docs/interface/errors.md). */
export class OperationCalls {
  readonly #platform: PlatformUnderTest;
  readonly #routes: ReadonlyMap<string, RestRoute>;

  private constructor(platform: PlatformUnderTest, routes: ReadonlyMap<string, RestRoute>) {
    this.#platform = platform;
    this.#routes = routes;
  }

  static async on(platform: PlatformUnderTest): Promise<OperationCalls> {
    return new OperationCalls(platform, await readRoutes(platform));
  }

  /**
   * Calls the operation on each of its transports, and checks that it throws the error there, with the same details. Returns those
   * of the first.
   */
  async assertThrows(cause: Cause): Promise<Details> {
    const { graphql, grpc, rest } = platformOperations[cause.operation] ?? {};
    const found = {
      ...(rest ? { REST: await this.#overRest(cause) } : {}),
      ...(graphql ? { GraphQL: await this.#overGraphql(cause) } : {}),
      ...(grpc ? { gRPC: await this.#overGrpc(cause) } : {}),
    };
    const [first, ...others] = Object.entries(found);
    assert.ok(first, `no transport has ${cause.operation}`);
    for (const [transport, details] of others)
      assert.deepEqual(
        Object.keys(details).sort(),
        Object.keys(first[1]).sort(),
        `${transport}, ${first[0]}: ${cause.operation}`,
      );
    for (const [transport, details] of Object.entries(found))
      assert.partialDeepStrictEqual(details, { ...cause.details }, `${transport}: ${cause.operation}`);
    return first[1];
  }

  #headersOf({ headers = this.#platform.administrator }: Cause): Readonly<Record<string, string>> {
    return headers;
  }

  async #overRest(cause: Cause): Promise<Details> {
    const { code, operation, status = errorCatalogue[code].http } = cause;
    const { method, path, headers, body } = await this.#requestOf(cause);
    const request = { method, ...(body === undefined ? {} : { body }) };
    const answer = await send(this.#platform.httpUrl, path, { ...request, headers });
    const { code: found, details, error } = errorOf(answer);
    assert.deepEqual([found, answer.status], [code, status], `REST: ${operation}: ${answer.text}`);
    assert.ok(error !== "" && answer.headers["content-type"]?.startsWith("application/json"), answer.text);
    assert.equal(answer.headers["retry-after"] !== undefined, status === 429 || status === 503, answer.text);
    const accept = "application/problem+json";
    const problem = await send(this.#platform.httpUrl, path, { ...request, headers: { ...headers, accept } });
    assert.partialDeepStrictEqual(jsonOf(problem), { type: "about:blank", code, status });
    return details;
  }

  async #requestOf(cause: Cause) {
    const { operation, args = {} } = cause;
    const route = this.#routes.get(operation) as RestRoute;
    const { method, path } = route;
    const inputs = new Map(Object.entries(renamed(args, restInputNames, inputsOf(route))));
    const target = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const [value] = [inputs.get(name)].flat();
      inputs.delete(name);
      return encodeURIComponent(String(value));
    });
    const version = inputs.get("expectedVersion");
    inputs.delete("expectedVersion");
    const hasBody = inputs.size > 0 && (method === "PUT" || method === "POST");
    const query = hasBody ? "" : [...inputs].map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&");
    return {
      method,
      path: query === "" ? target : `${target}?${query}`,
      headers: {
        ...this.#headersOf(cause),
        ...(hasBody ? { "content-type": "application/json" } : {}),
        ...(version === undefined ? {} : { "if-match": `"${version}.000000000000"` }),
      },
      body: hasBody ? JSON.stringify(Object.fromEntries(inputs)) : undefined,
    };
  }

  async #overGraphql(cause: Cause): Promise<Details> {
    const { code, operation, args = {} } = cause;
    const type = platformOperations[operation]?.graphql ?? "query";
    const field = roots[type]?.getFields()[operation] as GraphQLField<unknown, unknown>;
    const request = { query: documentOf(type, field, args), variables: args };
    const answer = type === "subscription" ? await this.#subscribe(request) : await this.#ask(request, cause);
    const text = `GraphQL: ${operation}: ${JSON.stringify(answer)}`;
    const { data, errors = [] } = answer;
    if (isSettingsResult(field) && errors.length === 0) return settingsRefusal(answer, operation, code);
    const [error] = errors;
    assert.ok(error && errors.length === 1 && error.message !== "", text);
    const { code: found, ...details } = error.extensions as { readonly code: string };
    assert.equal(found, errorCatalogue[code].graphql, text);
    // The caller is refused before the operation runs, so that no field has failed.
    if (data === undefined) assert.deepEqual([Object.keys(answer), error.path], [["errors"], undefined], text);
    else {
      assert.deepEqual(data, isNonNullType(field.type) ? null : { [operation]: null }, text);
      assert.deepEqual(error.path, [operation], text);
    }
    assert.deepEqual(
      Object.keys(error).filter((key) => !/^(message|path|locations|extensions)$/.test(key)),
      [],
      text,
    );
    return details;
  }

  async #ask(request: object, cause: Cause): Promise<GraphqlAnswer> {
    const headers = { ...this.#headersOf(cause), "content-type": "application/json" };
    const answer = await send(this.#platform.httpUrl, "/graphql", { method: "POST", headers, body: JSON.stringify(request) });
    // A limit refuses the HTTP request (docs/interface/errors.md#graphql-status).
    const status = cause.code === "RATE_LIMIT_EXCEEDED" && !Object.hasOwn(jsonOf(answer) as object, "data") ? 429 : 200;
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.headers["retry-after"] !== undefined, status === 429, answer.text);
    return jsonOf(answer) as GraphqlAnswer;
  }

  /** Returns the first result of the administrator's subscription, or the errors that refuse it. */
  async #subscribe(request: { readonly query: string; readonly variables: JsonObject }): Promise<GraphqlAnswer> {
    const url = `${this.#platform.httpUrl.replace("http", "ws")}/graphql`;
    const client = createClient({ url, webSocketImpl: WebSocket, connectionParams: this.#platform.administrator });
    try {
      return await new Promise((resolve, reject) => {
        client.subscribe(request, {
          next: (result) => resolve(result as GraphqlAnswer),
          error: (errors) =>
            Array.isArray(errors)
              ? resolve({ data: null, errors: errors as GraphqlAnswer["errors"] & object })
              : reject(errors),
          complete: () => reject(new Error("the subscription ended without a result")),
        });
      });
    } finally {
      await client.dispose();
    }
  }

  async #overGrpc(cause: Cause): Promise<Details> {
    const { code, operation } = cause;
    const error = await this.#failureOf(cause);
    const text = `gRPC: ${operation}: ${error}`;
    assert.ok(error, text);
    assert.equal(Code[error.code], Code[errorCatalogue[code].grpc as Code], text);
    const [info, ...more] = error.findDetails(ErrorInfoSchema);
    assert.deepEqual([info?.reason, info?.domain, more], [code, errorDomain, []], text);
    const violations = error
      .findDetails(BadRequestSchema)
      .flatMap(({ fieldViolations }) => fieldViolations.map(({ field, description: message }) => ({ field, message })));
    const facts = Object.entries(info?.metadata ?? {}).map(([name, fact]) => [name, parsed(fact)] as const);
    return { ...Object.fromEntries(facts), ...(violations.length > 0 ? { violations } : {}) };
  }

  async #failureOf({ operation, args = {}, headers }: Cause): Promise<ConnectError | undefined> {
    const [serviceName, methodName] = platformOperations[operation]?.grpc?.split(".") ?? [];
    const [key, service] = Object.entries(services).find(([, { name }]) => name === serviceName) ?? [];
    const method = service?.methods.find(({ name }) => name === methodName);
    assert.ok(key && method, `no method ${serviceName}.${methodName}`);
    const { grpcUrl } = this.#platform;
    const client = headers ? createPlatformClient({ grpcUrl }) : this.#platform.client();
    const call = (client[key as keyof typeof services] as unknown as Record<string, MethodCall>)[method.localName];
    try {
      await settled(call?.(requestOf(method, args), headers ? { headers } : {}));
      return undefined;
    } catch (error) {
      return ConnectError.from(error);
    }
  }
}

/** Waits for the response, or for the first message of a stream. */
async function settled(response: Promise<unknown> | AsyncIterable<unknown> | undefined): Promise<void> {
  if (response === undefined || !(Symbol.asyncIterator in response)) await response;
  else for await (const _ of response) return;
}

function requestOf(method: DescMethod, args: JsonObject): unknown {
  const fields = method.input.fields.map(({ localName }) => localName);
  const message = fromJson(method.input, renamed(args, grpcInputNames, fields));
  const isStreamed = method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming";
  return isStreamed ? streamOf(message) : message;
}

async function* streamOf(message: unknown): AsyncGenerator<unknown> {
  yield message;
}

/** Returns the arguments under the names that a transport has for them. */
function renamed(args: JsonObject, names: InputNames, known: readonly string[]): JsonObject {
  const rename = (arg: string): string =>
    known.includes(arg) ? arg : (known.find((name) => names[name]?.includes(arg)) ?? arg);
  return Object.fromEntries(Object.entries(args).map(([arg, value]) => [rename(arg), value]));
}

function documentOf(type: string, field: GraphQLField<unknown, unknown>, args: JsonObject): string {
  const passed = field.args.filter(({ name }) => Object.hasOwn(args, name));
  const declared = passed.map(({ name, type: of }) => `$${name}: ${of}`).join(", ");
  const given = passed.map(({ name }) => `${name}: $${name}`).join(", ");
  const whole = isSettingsResult(field) ? " { success settings { appId } error { code message details } }" : " { __typename }";
  const selection = isLeafType(getNamedType(field.type)) ? "" : whole;
  return passed.length === 0
    ? `${type} { ${field.name}${selection} }`
    : `${type} (${declared}) { ${field.name}(${given})${selection} }`;
}

const isSettingsResult = ({ type }: GraphQLField<unknown, unknown>): boolean =>
  getNamedType(type).name === "SettingsMutationResult";

/** Mutations of settings return what they refuse (docs/interface/errors.md#graphql-errors). */
function settingsRefusal({ data }: GraphqlAnswer, operation: string, code: ErrorCode): Details {
  type Result = { readonly error: { readonly code: string; readonly message: string; readonly details: Details } | null };
  const { error, ...rest } = (data as Readonly<Record<string, Result>>)[operation] ?? { error: null };
  assert.deepEqual(rest, { success: false, settings: null }, operation);
  assert.ok(error && error.message !== "", operation);
  assert.equal(error.code, errorCatalogue[code].graphql, operation);
  return error.details;
}

/** ErrorInfo has texts; every other value is JSON in it. */
function parsed(fact: string): unknown {
  try {
    return JSON.parse(fact) as unknown;
  } catch {
    return fact;
  }
}
