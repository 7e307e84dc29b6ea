import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { text } from "node:stream/consumers";
import type { SecureContextOptions } from "node:tls";
import { readSchema } from "@appserver/contracts/graphql";
import {
  buildSchema,
  defaultFieldResolver,
  execute,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
  parse,
  subscribe,
  validate,
} from "graphql";
import { useServer } from "graphql-ws/use/ws";
import { WebSocketServer } from "ws";

const schema = buildSchema(readSchema());

/** Called by the name of a root field, with its arguments. */
export type RootFields = Readonly<Record<string, (args: never, caller: Caller) => unknown>>;

export interface Caller {
  readonly authorization: string | null;
}

/** Returns a refusal of the platform. */
export function refusal(message: string, code: string, details: object = {}): GraphQLError {
  return new GraphQLError(message, { extensions: { ...details, code } });
}

/** What a recorded object does not have is empty. */
const fieldResolver: GraphQLFieldResolver<unknown, unknown> = (source, args, context, info) =>
  defaultFieldResolver(source, args, context, info) ?? emptyOf(info.returnType);

function emptyOf(type: GraphQLOutputType): unknown {
  if (!isNonNullType(type)) return null;
  const { ofType } = type;
  if (isListType(ofType)) return [];
  if (isEnumType(ofType)) return ofType.getValues()[0]?.value;
  if (!isScalarType(ofType)) return {};
  return { Int: 0, Float: 0, Boolean: false }[ofType.name] ?? "";
}

function serverWith(tls: SecureContextOptions | undefined, listener: RequestListener): Server {
  return tls ? createSecureServer(tls, listener) : createServer(listener);
}

/** Serves the schema of the platform with recorded root fields, over HTTP and WebSockets, with TLS if its keys are given. */
export function serveRecorded(rootValue: RootFields, tls?: SecureContextOptions): Server {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { query, variables } = JSON.parse(await text(request)) as { readonly query: string; readonly variables: object };
    const document = parse(query);
    const problems = validate(schema, document);
    const { authorization = null } = request.headers;
    const args = {
      schema,
      document,
      rootValue,
      variableValues: { ...variables },
      contextValue: { authorization },
      fieldResolver,
    };
    const result = problems.length > 0 ? { errors: problems } : await execute(args);
    response.setHeader("content-type", "application/json").end(JSON.stringify(result));
  };
  const server = serverWith(tls, (request, response) => void respond(request, response));
  useServer(
    {
      schema,
      roots: { subscription: rootValue },
      context: ({ extra }) => ({ authorization: extra.request.headers.authorization ?? null }),
      subscribe: (args) => subscribe({ ...args, fieldResolver }),
    },
    new WebSocketServer({ server, path: "/graphql" }),
  );
  return server;
}
