import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, test } from "node:test";
import { readSchema } from "@appserver/contracts/graphql";
import { AppError, type Caller, type Logger, SystemClock, silentLogger, silentTracer } from "@appserver/kernel";
import type { Broker, EventEnvelope } from "@appserver/kernel/ports";
import { RecordingMetrics } from "@appserver/testing/kit";
import { getIntrospectionQuery } from "graphql";
import { serverAudits } from "graphql-http";
import { createClient } from "graphql-ws";
import { WebSocket } from "ws";
import { EventFanout } from "../events/index.ts";
import { createHttpListener, HealthChecks, type HttpListener, Origins } from "../http/index.ts";
import { createGraphqlListener, type GraphqlCredentials, type ServiceResolvers } from "./index.ts";

const clock = new SystemClock();

class LocalBroker implements Pick<Broker, "observe"> {
  emit: (event: EventEnvelope) => void = () => {};
  async observe(_types: readonly string[], handler: (event: EventEnvelope) => void): Promise<{ close(): Promise<void> }> {
    this.emit = handler;
    return { close: async () => {} };
  }
}

const broker = new LocalBroker();
const fanout = new EventFanout(broker, ["app.installed"]);
const logged: object[] = [];
const logger: Logger = {
  ...silentLogger,
  error: (fields) => logged.push(fields),
  debug() {},
  info() {},
  warn() {},
  child: () => logger,
};
/** Open `appStateChanged` subscriptions. */
let subscribers = 0;

function emit(subject: string, displayName = subject): void {
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

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

async function started(introspection = (caller: Caller): boolean => caller.kind === "user"): Promise<HttpListener> {
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

interface Body {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { message: string; path?: unknown; extensions: Record<string, unknown> }[];
}

describe("GraphQL listener", () => {
  let listener: HttpListener;
  let url: string;
  before(async () => {
    await fanout.start();
    listener = await started();
    const { host, port } = listener.address();
    url = `http://${host}:${port}/graphql`;
  });
  after(() => listener.stop());

  async function post(
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

  const strict = { accept: "application/graphql-response+json" };

  test("a query runs alike interpreted and compiled", async () => {
    const query = 'query App($name: String!) { app(name: $name) { name registeredAt } other: app(name: "missing") { name } }';
    for (let run = 1; run <= 4; run += 1) {
      const { body } = await post(query, { variables: { name: `a${run}` } });
      assert.deepEqual(body, { data: { app: { name: `a${run}`, registeredAt: "1970-01-01T00:00:00.000Z" }, other: null } });
    }
    for (let run = 1; run <= 4; run += 1) {
      const { body } = await post('{ app(name: "crash") { name } health { status } }');
      assert.deepEqual([body.data?.["app"], body.data?.["health"]], [null, { status: "ready" }]);
      assert.deepEqual(
        body.errors?.map(({ message, path, extensions }) => ({ message, path, extensions })),
        [{ message: "internal error", path: ["app"], extensions: { code: "INTERNAL_ERROR" } }],
      );
    }
    for (let run = 1; run <= 4; run += 1) {
      const coercion = await post("query Coerce($n: String!) { app(name: $n) { name } }", { variables: { n: null } }, strict);
      assert.deepEqual([coercion.status, coercion.body.errors?.[0]?.extensions["code"]], [400, "VALIDATION_ERROR"]);
    }
  });

  test("an unforeseen error is logged whole", async () => {
    logged.length = 0;
    await post('{ app(name: "crash") { id } }');
    assert.match(String((logged[0] as { err?: Error }).err?.message), /secret cause/);
  });

  test("an error of a use case keeps its code and context", async () => {
    const { status, body } = await post('mutation { uninstallApp(name: "x") { success } }');
    assert.equal(status, 200);
    assert.equal(body.data, null);
    const [error] = body.errors ?? [];
    assert.deepEqual([error?.message, error?.path], ["no such app", ["uninstallApp"]]);
    assert.deepEqual(error?.extensions, { app: "x", code: "NOT_FOUND" });
  });

  test("the newer media type tells by status", async () => {
    assert.equal((await post("{ viewer { subject } }", {}, strict)).status, 403);
    assert.equal((await post("{ viewer { subject } }", {}, { ...strict, authorization: "bad" })).status, 401);
    assert.equal((await post("{ viewer { subject } }", {}, { authorization: "bad" })).status, 200);
    const alice = await post("{ viewer { subject } }", {}, { ...strict, authorization: "alice" });
    assert.deepEqual([alice.status, alice.body.data], [200, { viewer: { subject: "user:alice" } }]);
  });

  test("health is the same as /ready", async () => {
    const { body } = await post("{ health { status version uptimeSeconds checks { name status } } }");
    const health = body.data?.["health"] as Record<string, unknown>;
    assert.deepEqual([health["status"], health["version"]], ["ready", "0.1.0"]);
    assert.deepEqual(health["checks"], [{ name: "database", status: "up" }]);
  });

  test("what no service resolves is not available", async () => {
    const { body } = await post("{ metrics { sampledAt } }");
    const [error] = body.errors ?? [];
    assert.deepEqual([error?.message, error?.extensions["code"]], ["not available in this release", "SERVICE_UNAVAILABLE"]);
  });

  test("forms, other methods, arrays, GET mutations and huge bodies are refused", async () => {
    const form = await fetch(url, {
      method: "POST",
      headers: { "content-type": "text/plain" },
      body: '{"query":"{ health { status } }"}',
    });
    assert.equal(form.status, 415);
    const put = await fetch(url, { method: "PUT" });
    assert.deepEqual([put.status, put.headers.get("allow")], [405, "GET, POST"]);
    const mutation = await fetch(`${url}?query=${encodeURIComponent('mutation { installApp(name: "a") { success } }')}`);
    assert.deepEqual([mutation.status, mutation.headers.get("allow")], [405, "POST"]);
    const batch = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: "[]" });
    assert.equal(batch.status, 400);
    const huge = await post(`{ health { status } } # ${"x".repeat(1_100_000)}`);
    assert.deepEqual([huge.status, huge.body.errors?.[0]?.extensions["code"]], [413, "VALIDATION_ERROR"]);
    const subscription = await post("subscription { appStateChanged { name } }", {}, strict);
    assert.equal(subscription.status, 400);
  });

  test("cost 1000 passes, 1001 does not, by literal and by variable", async () => {
    // apps 1 + first × (edges 1 + node 1 + name 1 = 3) = 1 + 333 × 3 = 1000
    const costly = (first: number): string => `{ apps(first: ${first}) { edges { node { name } } } }`;
    const codes = async (query: string, more?: object): Promise<unknown> =>
      (await post(query, more)).body.errors?.[0]?.extensions["code"];
    assert.equal(await codes(costly(333)), "SERVICE_UNAVAILABLE");
    assert.equal(await codes(`${costly(333).slice(0, -1)} health { status } }`), "VALIDATION_ERROR");
    const query = "query Apps($first: Int = 10) { apps(first: $first) { edges { node { name } } } }";
    assert.equal(await codes(query), "SERVICE_UNAVAILABLE");
    assert.equal(await codes(query, { variables: { first: 334 } }), "VALIDATION_ERROR");
    assert.equal(
      await codes("{ apps { edges { node { history { to reason } } } } }"),
      "VALIDATION_ERROR",
      "50 × 20 by default",
    );
  });

  test("depth, aliases, fragment cycles and doubling fragments are refused fast", async () => {
    const deep = (levels: number): string =>
      `{ viewer { navigation ${"{ children ".repeat(levels)} { title } ${"}".repeat(levels)} } }`;
    const aliases = (count: number): string =>
      `{ ${Array.from({ length: count }, (_, index) => `a${index}: health { status }`).join(" ")} }`;
    const doubling = Array.from(
      { length: 60 },
      (_, index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 1} }`,
    );
    const attacks = [
      deep(13),
      aliases(101),
      aliases(10_000),
      `{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }`,
      `{ ...F0 } ${doubling.join(" ")} fragment F60 on Query { health { status } }`,
      `{ health { ${"status ".repeat(4000)} } }`,
      `{ ${"health { status } ".repeat(50_000)} }`,
    ];
    for (const attack of attacks) {
      const startedAt = performance.now();
      const { body } = await post(attack);
      assert.equal(body.errors?.[0]?.extensions["code"], "VALIDATION_ERROR", attack.slice(0, 60));
      assert.ok(performance.now() - startedAt < 250, `took ${performance.now() - startedAt} ms: ${attack.slice(0, 60)}`);
    }
    assert.equal((await post(deep(12))).body.errors?.[0]?.extensions["code"], "PERMISSION_DENIED");
    assert.equal((await post(aliases(100))).body.errors, undefined);
  });

  test("the schema is shown only to those who may see it", async () => {
    const query = getIntrospectionQuery();
    assert.equal((await post(query)).body.errors?.[0]?.extensions["code"], "PERMISSION_DENIED");
    const { body } = await post(query, {}, { authorization: "alice" });
    assert.equal(body.errors, undefined);
    assert.equal((await post(query)).body.errors?.[0]?.extensions["code"], "PERMISSION_DENIED", "also once it is cached");
  });

  async function until(condition: () => boolean): Promise<void> {
    for (let turn = 0; turn < 400 && !condition(); turn += 1) await clock.sleep(5);
    assert.ok(condition());
  }

  test("graphql-transport-ws carries queries and subscriptions, and lets go of both", async () => {
    const client = createClient({
      url: url.replace("http", "ws"),
      webSocketImpl: WebSocket,
      connectionParams: { token: "alice" },
    });
    const [viewer] = await collect(client.iterate({ query: "{ viewer { subject } }" }));
    assert.deepEqual(viewer, { data: { viewer: { subject: "user:alice" } } });
    const events = client.iterate({ query: "subscription { appStateChanged { name } }" });
    const first = events.next();
    await until(() => subscribers === 1);
    emit("one");
    assert.deepEqual((await first).value, { data: { appStateChanged: { name: "one" } } });
    await events.return?.();
    await until(() => subscribers === 0);
    const invalid = client.iterate({ query: "{ nothing }" });
    await assert.rejects(
      invalid.next(),
      (errors) => (errors as Body["errors"])?.[0]?.extensions["code"] === "VALIDATION_ERROR",
    );
    const unresolved = await collect(client.iterate({ query: "subscription { hookTriggered { id } }" }));
    assert.equal((unresolved[0] as Body).errors?.[0]?.extensions["code"], "SERVICE_UNAVAILABLE");
    await client.dispose();
  });

  function open(protocol: string | undefined, options: object = {}): WebSocket {
    return new WebSocket(url.replace("http", "ws"), protocol === undefined ? [] : [protocol], options);
  }

  /** Messages as they come. */
  function inbox(socket: WebSocket): () => Promise<Record<string, unknown>> {
    const messages = on(socket);
    return async () => JSON.parse(String((await messages.next()).value));
  }

  async function* on(socket: WebSocket): AsyncGenerator<unknown> {
    const queue: unknown[] = [];
    let wake = (): void => {};
    socket.on("message", (data) => {
      queue.push(data);
      wake();
    });
    for (;;) {
      while (queue.length > 0) yield queue.shift();
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  test("the older graphql-ws carries the Apollo messages", async () => {
    const socket = open("graphql-ws");
    const messages = inbox(socket);
    const next = async (): Promise<Record<string, unknown>> => {
      for (;;) {
        const message = await messages();
        if (message["type"] !== "ka") return message;
      }
    };
    await once(socket, "open");
    const send = (message: object): void => socket.send(JSON.stringify(message));
    const received = messages();
    send({ type: "connection_init", payload: { token: "alice" } });
    assert.deepEqual(await received, { type: "connection_ack" });
    assert.deepEqual(await messages(), { type: "ka" });
    send({ id: "1", type: "start", payload: { query: "{ viewer { subject } }" } });
    assert.deepEqual(await next(), { type: "data", id: "1", payload: { data: { viewer: { subject: "user:alice" } } } });
    assert.deepEqual(await next(), { type: "complete", id: "1" });
    send({ id: "2", type: "start", payload: { query: "subscription { appStateChanged { name } }" } });
    await until(() => subscribers === 1);
    emit("two");
    assert.deepEqual(await next(), { type: "data", id: "2", payload: { data: { appStateChanged: { name: "two" } } } });
    assert.deepEqual(await messages(), { type: "ka" }, "again and again");
    send({ id: "2", type: "stop" });
    assert.deepEqual(await next(), { type: "complete", id: "2" });
    await until(() => subscribers === 0);
    send({ id: "3", type: "start", payload: { query: "{ nothing }" } });
    const error = (await next()) as { type: string; payload: { extensions: { code: string } } };
    assert.deepEqual([error.type, error.payload.extensions.code], ["error", "VALIDATION_ERROR"]);
    send({ type: "connection_terminate" });
    assert.equal((await once(socket, "close"))[0], 1000);
  });

  for (const protocol of ["graphql-transport-ws", "graphql-ws"]) {
    test(`${protocol}: credentials that fail close with 4401, and so does a start before init`, async () => {
      const refused = open(protocol);
      await once(refused, "open");
      refused.send(JSON.stringify({ type: "connection_init", payload: { token: "bad" } }));
      assert.equal((await once(refused, "close"))[0], 4401);
      const hasty = open(protocol);
      await once(hasty, "open");
      const type = protocol === "graphql-ws" ? "start" : "subscribe";
      hasty.send(JSON.stringify({ id: "1", type, payload: { query: "{ viewer { subject } }" } }));
      assert.equal((await once(hasty, "close"))[0], 4401);
    });

    test(`${protocol}: a client that leaves ends its subscriptions, one that does not read is closed`, async () => {
      const type = protocol === "graphql-ws" ? "start" : "subscribe";
      const subscribe = async (): Promise<WebSocket> => {
        const socket = open(protocol);
        await once(socket, "open");
        socket.send(JSON.stringify({ type: "connection_init" }));
        await once(socket, "message");
        socket.send(
          JSON.stringify({ id: "1", type, payload: { query: "subscription { appStateChanged { name displayName } }" } }),
        );
        await until(() => subscribers === 1);
        return socket;
      };
      const leaving = await subscribe();
      leaving.terminate();
      await until(() => subscribers === 0);

      const slow = await subscribe();
      slow.pause();
      const closed = once(slow, "close");
      const large = "x".repeat(1_000_000);
      for (let index = 0; index < 200 && subscribers === 1; index += 1) {
        emit(String(index), large);
        await clock.sleep(1);
      }
      assert.equal(subscribers, 0, "the server did not wait");
      slow.resume();
      assert.ok([4429, 1006].includes((await closed)[0]));
    });
  }

  test("a reader that is merely late gets 4429", async () => {
    const socket = open("graphql-transport-ws");
    await once(socket, "open");
    socket.send(JSON.stringify({ type: "connection_init" }));
    await once(socket, "message");
    socket.send(
      JSON.stringify({ id: "1", type: "subscribe", payload: { query: "subscription { appStateChanged { name } }" } }),
    );
    await until(() => subscribers === 1);
    for (let index = 0; index < 50; index += 1) emit(String(index));
    assert.equal((await once(socket, "close"))[0], 4429);
  });

  test("foreign pages and unknown subprotocols are refused at the upgrade", async () => {
    const status = async (socket: WebSocket): Promise<string> => ((await once(socket, "error")) as [Error])[0].message;
    assert.match(await status(open("graphql-transport-ws", { origin: "https://evil.example" })), /403/);
    assert.match(await status(open("mqtt")), /400/);
    assert.match(await status(open(undefined)), /400/);
    const own = open("graphql-transport-ws", { origin: new URL(url).origin });
    await once(own, "open");
    own.terminate();
  });

  test("the server pings, and ends clients that do not answer", async () => {
    const socket = open("graphql-transport-ws", { autoPong: false });
    await once(socket, "ping");
    assert.equal((await once(socket, "close"))[0], 1006);
  });

  test("stopping closes sockets with 1001", async () => {
    const other = await started();
    const { host, port } = other.address();
    const socket = new WebSocket(`ws://${host}:${port}/graphql`, ["graphql-transport-ws"]);
    await once(socket, "open");
    const closed = once(socket, "close");
    await other.stop();
    assert.equal((await closed)[0], 1001);
  });
});

// One of the audits asks for `__type`.
describe("GraphQL over HTTP audits, introspection on", () => {
  let listener: HttpListener;
  before(async () => {
    listener = await started(() => true);
  });
  after(() => listener.stop());
  const url = (): string => `http://${listener.address().host}:${listener.address().port}/graphql`;
  for (const audit of serverAudits({ url })) {
    test(audit.name, async () => {
      const result = await audit.fn();
      assert.equal(result.status, "ok", "reason" in result ? result.reason : "");
    });
  }
});
