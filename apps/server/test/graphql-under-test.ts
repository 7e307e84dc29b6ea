import { readSchema } from "@appserver/contracts/graphql";
import { AppError, type Caller, type Logger, SystemClock, silentLogger, silentTracer } from "@appserver/kernel";
import type { Broker, EventEnvelope } from "@appserver/kernel/ports";
import { RecordingMetrics } from "@appserver/testing/kit";
import { EventFanout } from "../src/listeners/events/index.ts";
import { createGraphqlListener, type GraphqlCredentials, type ServiceResolvers } from "../src/listeners/graphql/index.ts";
import { createHttpListener, HealthChecks, type HttpListener, Origins } from "../src/listeners/http/index.ts";

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
/** Open `appStateChanged` subscriptions. */
export let subscribers = 0;

export function emit(subject: string, displayName = subject): void {
  const time = "2026-01-01T00:00:00.000Z";
  broker.emit({ id: subject, type: "app.installed", source: "/test", subject, time, body: { displayName } });
}

async function* appEvents(signal: AbortSignal): AsyncGenerator<{ name: string; displayName: string }> {
  subscribers += 1;
  try {
    for await (const event of fanout.subscribe(["app.installed"], { signal })) {
      yield { name: event.subject, displayName: String(event.body["displayName"]) };
    }
  } finally {
    subscribers -= 1;
  }
}

const resolvers = {
  Query: {
    app: (_root: unknown, { name }: { name: string }) => {
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
    appStateChanged: { subscribe: (_root: unknown, _args: unknown, { signal }: { signal: AbortSignal }) => appEvents(signal) },
  },
} as unknown as ServiceResolvers;

function authenticate({ headers, connectionParams }: GraphqlCredentials): Caller {
  const token = headers["authorization"] ?? connectionParams?.["token"];
  if (token === "bad") throw new AppError("AUTHENTICATION_FAILED", "session is not valid");
  return token === "alice" ? { kind: "user", id: "alice", displayName: "Alice" } : { kind: "anonymous" };
}

export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** A listener with a few resolvers behind it, no service. */
export async function startedGraphql(
  introspection = (caller: Caller): boolean => caller.kind === "user",
): Promise<HttpListener> {
  const health = new HealthChecks({
    checks: [{ name: "database", critical: true, check: async () => {} }],
    clock,
    version: "0.1.0",
  });
  const origins = new Origins([]);
  const options = {
    schemaSdl: readSchema(),
    resolvers: [resolvers],
    authenticate,
    health,
    origins,
    logger,
    introspection,
    keepAliveMs: 50,
    metrics: new RecordingMetrics(),
  };
  const listener = createHttpListener({
    host: "127.0.0.1",
    port: 0,
    logger: silentLogger,
    metrics: options.metrics,
    tracer: silentTracer,
    clock,
    origins,
    health,
    graphql: createGraphqlListener(options),
  });
  await listener.start();
  return listener;
}

/** Where it serves GraphQL. */
export function graphqlUrl(listener: HttpListener): string {
  const { host, port } = listener.address();
  return `http://${host}:${port}/graphql`;
}

export interface Body {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { message: string; path?: unknown; extensions: Record<string, unknown> }[];
}

/** One POST of a query; the status and the parsed body. */
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
