import type { PathArgument, View } from "@appserver/contracts/operations";
import { quote } from "@appserver/contracts/patterns";
import { AppError, isNoneMatchHit, type RestCall, type RestReply, type RestResponse, type RestRoute } from "@appserver/kernel";
import { type GraphQLArgument, type GraphQLOutputType, type GraphQLSchema, isInputObjectType } from "graphql";
import { argumentLimits, documentedArgumentLimits } from "./argument-limits.ts";
import type { Endpoint } from "./endpoint.ts";
import { entityTag, tagHeader } from "./entity-tags.ts";
import { acceptsEvents, EventStream } from "./event-stream.ts";
import { FieldOperation, rootField, type Variables } from "./field-operation.ts";
import { linkHeader, nextLink } from "./next-link.ts";
import { OperationWait, type StartedOperation, waitParameter } from "./operation-wait.ts";
import { entryType, fieldType, hasField, presentType, type ResponseSchemas } from "./response-schemas.ts";
import { selectionOf } from "./selection.ts";
import { type Input, inputsSchema } from "./value-schemas.ts";

export interface EndpointDeps {
  readonly schema: GraphQLSchema;
  readonly responses: ResponseSchemas;
  /** Returns the name of the app with this id, undefined if there is none. */
  readonly nameOf: (appId: string) => Promise<string | undefined>;
}

type FieldCall = RestCall<Readonly<Record<string, string>>, unknown, Readonly<Record<string, unknown>>>;

/** How the result of a field becomes a response. */
interface Answer {
  /** What the field selects. */
  readonly selection: string;
  readonly responses: Readonly<Record<number, RestResponse>>;
  reply(result: unknown, call: FieldCall): RestReply | Promise<RestReply>;
}

interface Connection {
  readonly edges: readonly { readonly node: unknown }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  /** Not of the lists whose items nothing counts. */
  readonly totalCount?: number;
}

/** Returns the route of an endpoint. Throws if the schema does not have its field or an argument. */
export function endpointRoute(endpoint: Endpoint, deps: EndpointDeps): RestRoute {
  const { type, field, method, url, tag, summary, path = {}, renamed = {} } = endpoint;
  const { args, type: result } = rootField(deps.schema, type, field);
  const spread = endpoint.spread === undefined ? [] : fieldsOf(args, endpoint.spread);
  const answer = answerOf(endpoint, result, deps);
  const operation = new FieldOperation(deps.schema, type, field, answer.selection);
  const ofPath = new Set(Object.values(path).map(argumentOf));
  const others = [...args.filter(({ name }) => name !== endpoint.spread), ...spread]
    .filter(({ name }) => !ofPath.has(name))
    .map((input) => ({ ...input, name: renamed[input.name] ?? input.name, limits: argumentLimits(field, input.name) }));
  const stream = endpoint.stream && new EventStream(deps.schema, endpoint.stream);
  const inBody = method === "PUT" || method === "POST";
  const query = [...(inBody ? [] : others), ...(endpoint.reply.kind === "operation" ? [waitParameter] : [])];
  return {
    method,
    url,
    schema: {
      params: paramsSchema(path),
      query: inputsSchema(query, false),
      ...(inBody ? { body: inputsSchema(others, true) } : {}),
    },
    documentation: {
      operationId: field,
      summary,
      tag,
      ...(stream ? { headers: stream.headers } : {}),
      limits: limitsOf(endpoint, args),
      responses: stream ? stream.responses(answer.responses, deps.responses) : answer.responses,
    },
    handle: async (call) => {
      const fieldCall = call as FieldCall;
      const variables = await variablesOf(endpoint, fieldCall, new Set(spread.map(({ name }) => name)), deps);
      if (stream && acceptsEvents(call)) return await stream.open(variables, call);
      return answer.reply(await operation.run(variables, call), fieldCall);
    },
  };
}

/** Returns the documented limits of all arguments, by the names that REST has for them. */
function limitsOf({ field, path = {}, renamed = {} }: Endpoint, args: readonly GraphQLArgument[]): Record<string, object> {
  const segments = new Map(Object.entries(path).map(([segment, argument]) => [argumentOf(argument), segment]));
  return Object.fromEntries(
    args.flatMap(({ name }) => {
      const limits = documentedArgumentLimits(field, name);
      return limits ? [[segments.get(name) ?? renamed[name] ?? name, limits]] : [];
    }),
  );
}

function argumentOf(argument: PathArgument): string {
  return typeof argument === "string" ? argument : argument.app;
}

/** Returns the fields of the input object that an argument takes. */
function fieldsOf(args: readonly GraphQLArgument[], name: string): readonly Input[] {
  const type = args.find((argument) => argument.name === name)?.type;
  if (!isInputObjectType(type)) throw new Error(`${name} is not an input object`);
  return Object.values(type.getFields());
}

function paramsSchema(path: Readonly<Record<string, PathArgument>>): object {
  const ofApp = { type: "string", description: "The name or the id of an app" };
  const properties = Object.entries(path).map(([name, argument]) => [
    name,
    typeof argument === "string" ? { type: "string" } : ofApp,
  ]);
  return { type: "object", required: Object.keys(path), properties: Object.fromEntries(properties) };
}

async function variablesOf(
  { path = {}, spread, renamed = {} }: Endpoint,
  { params, query, body }: FieldCall,
  spreadFields: ReadonlySet<string>,
  { nameOf }: EndpointDeps,
): Promise<Variables> {
  const { [waitParameter.name]: _, ...others } = { ...query, ...(body as object | undefined) };
  const variables: Record<string, unknown> = spread === undefined ? others : spreadVariables(others, spread, spreadFields);
  for (const [argument, name] of Object.entries(renamed)) {
    variables[argument] = variables[name];
    delete variables[name];
  }
  for (const [segment, argument] of Object.entries(path)) {
    const value = params[segment] ?? "";
    variables[argumentOf(argument)] = typeof argument === "string" ? value : ((await nameOf(value)) ?? value);
  }
  return variables;
}

/** Moves the fields of an input object into its argument. */
function spreadVariables(given: Readonly<Record<string, unknown>>, argument: string, fields: ReadonlySet<string>) {
  const entries = Object.entries(given);
  return {
    ...Object.fromEntries(entries.filter(([name]) => !fields.has(name))),
    [argument]: Object.fromEntries(entries.filter(([name]) => fields.has(name))),
  };
}

function answerOf(endpoint: Endpoint, type: GraphQLOutputType, deps: EndpointDeps): Answer {
  const { reply } = endpoint;
  switch (reply.kind) {
    case "value":
      return valueAnswer(endpoint, type, reply.view, deps);
    case "page":
      return pageAnswer(type, reply.view, deps);
    case "operation":
      return operationAnswer(type, deps);
    case "changed":
      return changedAnswer(type, reply.what, deps);
    case "wrapped":
      return wrappedAnswer(endpoint, type, reply.as, deps);
  }
}

function valueAnswer(endpoint: Endpoint, type: GraphQLOutputType, view: View, { responses }: EndpointDeps): Answer {
  return {
    selection: selectionOf(type, view),
    responses: succeeded(endpoint, responses.of(presentType(type), view)),
    reply: (value, call) => {
      if (value === null) throw notFound(endpoint, call);
      return endpoint.method === "GET" ? tagged(value, call) : { status: 200, json: value };
    },
  };
}

function pageAnswer(type: GraphQLOutputType, view: View, { responses }: EndpointDeps): Answer {
  const node = fieldType(entryType(fieldType(type, "edges")), "node");
  const count = hasField(type, "totalCount") ? ["totalCount"] : [];
  const schema = {
    type: "object",
    properties: {
      items: { type: "array", items: responses.of(node, view) },
      nextCursor: { type: ["string", "null"], description: "`after` of the next page; null at the end" },
      ...Object.fromEntries(count.map((name) => [name, { type: "integer" }])),
    },
    required: ["items", "nextCursor", ...count],
  };
  return {
    selection: `{ edges { node${selectionOf(node, view)} } pageInfo { hasNextPage endCursor } ${count.join(" ")} }`,
    responses: { 200: { description: "A page", headers: { ...tagHeader, ...linkHeader }, schema }, ...notModified },
    reply: (value, call) => {
      const { edges, pageInfo, totalCount } = value as Connection;
      const nextCursor = pageInfo.hasNextPage ? pageInfo.endCursor : null;
      const reply = tagged({ items: edges.map((edge) => edge.node), nextCursor, totalCount }, call);
      return nextCursor === null ? reply : { ...reply, headers: { ...reply.headers, link: nextLink(call.target, nextCursor) } };
    },
  };
}

function operationAnswer(type: GraphQLOutputType, { schema, responses }: EndpointDeps): Answer {
  const operation = fieldType(type, "operation");
  const operationSchema = responses.of(presentType(operation), "whole");
  const wait = new OperationWait(schema);
  return {
    selection: `{ operation${selectionOf(operation, "whole")} }`,
    responses: {
      200: { description: "The ended operation, with `wait`. It may have failed.", schema: operationSchema },
      202: { description: "The operation that has started", schema: operationSchema },
    },
    reply: async (value, call) => {
      const { operation: started } = value as { readonly operation: StartedOperation };
      if (call.query[waitParameter.name] !== true) return { status: 202, json: started };
      const json = await wait.end(started, call);
      return { status: json.done ? 200 : 202, json };
    },
  };
}

function changedAnswer(type: GraphQLOutputType, what: "app" | "id", { responses }: EndpointDeps): Answer {
  const [changed, operation] = [fieldType(type, what), fieldType(type, "operation")];
  const ended = { operation: responses.of(presentType(operation), "whole") };
  const subject = responses.of(presentType(changed), "brief");
  const properties = what === "id" ? { id: subject, ...ended } : ended;
  const result = { type: "object", properties, required: Object.keys(properties) };
  return {
    selection: `{ ${what}${selectionOf(changed, "brief")} operation${selectionOf(operation, "whole")} }`,
    responses: {
      200: { description: "The result, with the operation", schema: what === "id" ? result : { allOf: [subject, result] } },
    },
    reply: (value) => {
      const { app, ...others } = value as { readonly app?: object };
      return { status: 200, json: { ...app, ...others } };
    },
  };
}

/** The value in an object: clients can extend an object, not a number or a list. */
function wrappedAnswer(endpoint: Endpoint, type: GraphQLOutputType, as: string, { responses }: EndpointDeps): Answer {
  const schema = { type: "object", properties: { [as]: responses.of(presentType(type), "whole") }, required: [as] };
  return {
    selection: selectionOf(type, "whole"),
    responses: succeeded(endpoint, schema),
    reply: (value, call) => {
      const json = { [as]: value };
      return endpoint.method === "GET" ? tagged(json, call) : { status: 200, json };
    },
  };
}

const notModified = { 304: { description: "The client has this representation already", headers: tagHeader } } as const;

function succeeded({ method, summary }: Endpoint, schema: object): Readonly<Record<number, RestResponse>> {
  if (method !== "GET") return { 200: { description: summary, schema } };
  return { 200: { description: summary, headers: tagHeader, schema }, ...notModified };
}

/** A response that depends on the caller, with the hash of its content as tag. */
function tagged(json: unknown, call: FieldCall): RestReply {
  const jsonText = JSON.stringify(json);
  const etag = entityTag(jsonText);
  const headers = { etag, "cache-control": "private, no-cache", vary: "Cookie, Authorization, X-App-Name" };
  return isNoneMatchHit(call.header("if-none-match"), etag) ? { status: 304, headers } : { status: 200, headers, jsonText };
}

function notFound({ field }: Endpoint, { params }: FieldCall): AppError {
  const names = Object.values(params).map((name) => quote(name));
  return new AppError("NOT_FOUND", `there is no ${field} ${names.join(" ")}`, { details: { ...params } });
}
