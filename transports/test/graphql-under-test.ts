import { readSchema } from "@appserver/contracts/graphql";
import {
  AppError,
  BufferBudget,
  type Call,
  type Caller,
  LiveConnections,
  type Logger,
  type Permissions,
  requirePermission,
  SystemClock,
  silentLogger,
  silentTracer,
} from "@appserver/kernel";
import type { Broker, EventEnvelope } from "@appserver/kernel/ports";
import { RecordingMetrics } from "@appserver/testing/kit";
import { buildSchema, type GraphQLObjectType } from "graphql";
import { EventFanout } from "../events/index.ts";
import {
  createExecutableSchema,
  createGraphqlListener,
  type GraphqlCredentials,
  healthResolvers,
  type ServiceResolvers,
} from "../graphql/index.ts";
import { createHttpListener, HealthChecks, type HttpListener, Origins } from "../http/index.ts";
import { httpOptions } from "./listener-options.ts";

export const clock = new SystemClock();

class LocalBroker implements Pick<Broker, "observe"> {
  emit: (event: EventEnvelope) => void = () => {};
  async observe(_types: readonly string[], handler: (event: EventEnvelope) => void): Promise<{ close(): Promise<void> }> {
    this.emit = handler;
    return { close: async () => {} };
  }
}

const broker = new LocalBroker();
export const fanout = new EventFanout(broker, ["app.installed"]);
export const logged: object[] = [];
const logger: Logger = {
  ...silentLogger,
  error: (fields) => logged.push(fields),
  debug() {},
  info() {},
  warn() {},
  child: () => logger,
};
/** Tokens whose sessions have ended. */
export const signedOut = new Set<string>();
/** Tokens that cannot be checked at the moment. */
export const uncheckable = new Set<string>();
/** Tokens whose users have lost their permissions. */
export const revoked = new Set<string>();
/** The registry of the sockets of `startedGraphql`. */
export const connections = new LiveConnections({ clock, logger: silentLogger });
const permissions: Permissions = { allowed: async (caller) => caller.kind !== "user" || !revoked.has(caller.id) };
/** Open `appStateChanged` subscriptions. */
export let subscribers = 0;

export function emit(subject: string, displayName = subject): void {
  const time = "2026-01-01T00:00:00.000Z";
  broker.emit({ id: subject, type: "app.installed", source: "/test", subject, time, body: { displayName } });
}

async function* appEvents(call: Call): AsyncGenerator<{ name: string; displayName: string }> {
  subscribers += 1;
  try {
    await requirePermission(permissions, call, "app:view");
    for await (const event of fanout.subscribe(["app.installed"], { signal: call.signal })) {
      yield { name: event.subject, displayName: String(event.body["displayName"]) };
    }
  } finally {
    subscribers -= 1;
  }
}

let running = 0;
let maxRunning = 0;

async function slowly<T>(result: T): Promise<T> {
  running += 1;
  maxRunning = Math.max(maxRunning, running);
  await clock.sleep(5);
  running -= 1;
  return result;
}

/** Returns the maximum number of slow queries that ran at once since the last call. */
export function largestLoad(): number {
  const most = maxRunning;
  maxRunning = running;
  return most;
}

const resolvers = {
  Query: {
    app: (_root: unknown, { name }: { name: string }) => {
      if (name === "slow") return slowly({ name });
      if (name === "crash") throw new Error("secret cause");
      if (name === "missing") return null;
      return { name, id: "1", registeredAt: new Date(0), requiredPermissions: [] };
    },
    viewer: (_root: unknown, _args: unknown, { caller }: { caller: Caller }) => {
      if (caller.kind !== "user") throw new AppError("PERMISSION_DENIED", "log in", { details: { scope: "x:read" } });
      return { subject: `user:${caller.id}`, kind: "user", permissions: [], navigation: [] };
    },
  },
  Mutation: {
    uninstallApp: (_root: unknown, { name }: { name: string }) => {
      throw new AppError("NOT_FOUND", "no such app", { details: { app: name } });
    },
    installApp: (_root: unknown, { name }: { name: string }) => ({ success: true, id: name, warnings: [] }),
  },
  Subscription: {
    hookTriggered: {
      subscribe: async function* (_root: unknown, { hookName }: { hookName?: string }) {
        yield { id: "1", hookName: "first" };
        if (hookName === "crash") throw new Error("secret cause");
        throw new AppError("INVALID_REQUEST", "no such hook");
      },
    },
    appStateChanged: {
      subscribe: (_root: unknown, _args: unknown, call: Call) => appEvents(call),
    },
  },
} as unknown as ServiceResolvers;

function authenticate({ header, connectionParams }: GraphqlCredentials): Caller {
  const token = header("authorization") ?? connectionParams?.["token"];
  if (uncheckable.has(String(token))) throw new AppError("SERVICE_UNAVAILABLE", "sessions cannot be checked");
  if (token === "bad") throw new AppError("AUTHENTICATION_FAILED", "session is not valid");
  return token === "alice" ? { kind: "user", id: "alice", displayName: "Alice" } : { kind: "anonymous" };
}

export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** Returns resolvers that refuse, for the root fields that no other resolvers have. */
function absentResolvers(): ServiceResolvers {
  const refuse = (): never => {
    throw new AppError("SERVICE_UNAVAILABLE", "not in this test");
  };
  const present: Readonly<Record<string, object | undefined>> = {
    ...resolvers,
    Query: { ...resolvers["Query"], health: refuse },
  };
  const schema = buildSchema(readSchema());
  const absentOf = (type: string, resolver: object): object => {
    const fields = (schema.getType(type) as GraphQLObjectType).getFields();
    const absent = Object.keys(fields).filter((name) => !(name in (present[type] ?? {})));
    return Object.fromEntries(absent.map((name) => [name, resolver]));
  };
  return {
    Query: absentOf("Query", refuse),
    Mutation: absentOf("Mutation", refuse),
    Subscription: absentOf("Subscription", { subscribe: refuse }),
  };
}

/** Starts a listener with a few resolvers and no services. */
export async function startedGraphql(
  introspection = (caller: Caller): boolean => caller.kind === "user",
  keepAliveMs = 50,
): Promise<HttpListener> {
  const health = new HealthChecks({
    checks: [{ name: "database", critical: true, check: async () => {} }],
    clock,
    version: "0.1.0",
  });
  const origins = new Origins([]);
  const options = {
    schema: createExecutableSchema(readSchema(), [healthResolvers(health), resolvers, absentResolvers()]),
    authenticate,
    origins,
    clock,
    logger,
    reauthentication:
      ({ connectionParams }: GraphqlCredentials) =>
      () => {
        if (signedOut.has(String(connectionParams?.["token"])))
          throw new AppError("AUTHENTICATION_FAILED", "the session is over");
      },
    connections,
    initTimeoutMs: 2_000,
    introspection,
    keepAliveMs,
    metrics: new RecordingMetrics(),
    maxBodyBytes: 1_048_576,
    budget: new BufferBudget({ totalBytes: 256 * 1024 * 1024 }),
  };
  const listener = createHttpListener({
    ...httpOptions,
    host: "127.0.0.1",
    port: 0,
    logger: silentLogger,
    metrics: options.metrics,
    tracer: silentTracer,
    clock,
    origins,
    health,
    services: { graphql: createGraphqlListener(options) },
  });
  await listener.start();
  return listener;
}

/** Returns the URL of the GraphQL endpoint. */
export function graphqlUrl(listener: HttpListener): string {
  const { host, port } = listener.address();
  return `http://${host}:${port}/graphql`;
}

export interface Body {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { message: string; path?: unknown; extensions: Record<string, unknown> }[];
}

/** Posts a query and returns the status and the parsed body. */
export async function postQuery(
  url: string,
  query: string,
  more: object = {},
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Body }> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ query, ...more }),
  };
  const response = await fetch(url, init);
  return { status: response.status, body: (await response.json()) as Body };
}
