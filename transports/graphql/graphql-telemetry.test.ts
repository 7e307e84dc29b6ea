import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { BufferBudget, currentTraceparent, parseTraceparent, SystemClock, silentLogger } from "@appserver/kernel";
import type { HandledRequest, RequestLog } from "@appserver/kernel/ports";
import { eventually, RecordingMetrics, RecordingTracer } from "@appserver/testing/kit";
import { WebSocket } from "ws";
import { Origins } from "../http/index.ts";
import { send, started } from "../test/http-listener-fixture.ts";
import { createExecutableSchema, createGraphqlListener, type ServiceResolvers } from "./index.ts";

const inbound = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const sdl = "type Query { trace: String fail: String } type Mutation { change: Int } type Subscription { ticks: Int }";

function graphql(metrics: RecordingMetrics, requests?: RequestLog) {
  const resolvers = {
    Query: {
      trace: async () => {
        await Promise.resolve();
        return currentTraceparent();
      },
      fail: () => {
        throw new Error("no");
      },
    },
    Mutation: { change: () => 1 },
    Subscription: {
      ticks: {
        subscribe: async function* () {
          yield { ticks: 1 };
          await new Promise(() => {});
        },
      },
    },
  };
  const clock = new SystemClock();
  return createGraphqlListener({
    schema: createExecutableSchema(sdl, [resolvers as unknown as ServiceResolvers]),
    authenticate: () => ({ kind: "anonymous" }),
    origins: new Origins([]),
    clock,
    logger: silentLogger,
    metrics,
    reauthentication: () => () => {},
    connections: { join: () => () => {} },
    maxBodyBytes: 1_048_576,
    budget: new BufferBudget({ totalBytes: 256 * 1024 * 1024 }),
    ...(requests && { requests }),
  });
}

const post = (query: string, headers: Record<string, string> = {}) =>
  [
    "/graphql",
    { method: "POST", headers: { "content-type": "application/json", ...headers } },
    JSON.stringify({ query }),
  ] as const;

describe("telemetry of GraphQL", () => {
  test("operations are counted by type and outcome", async () => {
    const metrics = new RecordingMetrics();
    const listener = await started({ graphql: graphql(metrics) });
    await send(listener, ...post("{ trace }"));
    await send(listener, ...post("{ fail }"));
    await listener.stop();
    const count = (outcome: string) => metrics.value(metricCatalogue.graphqlOperations, { type: "query", outcome });
    assert.deepEqual([count("success"), count("error")], [1, 1]);
  });

  test("traces get mutations and failed operations, not what only reads", async () => {
    const handled: HandledRequest[] = [];
    const listener = await started({
      graphql: graphql(new RecordingMetrics(), { add: (request) => void handled.push(request) }),
    });
    for (const query of ["{ trace }", "{ fail }", "mutation { change }", "{ nothing }"])
      await send(listener, ...post(query, { traceparent: inbound, "x-request-id": query.replaceAll(/\W/g, "") }));
    await listener.stop();
    assert.deepEqual(
      handled.map(({ requestId, reasonId, status }) => [requestId, reasonId, status]),
      [
        ["fail", "INTERNAL_ERROR", 200],
        ["mutationchange", undefined, 200],
        ["nothing", "VALIDATION_ERROR", 200],
      ],
    );
    assert.partialDeepStrictEqual(handled[0], {
      ...{ traceId: parseTraceparent(inbound)?.traceId, method: "POST", pattern: "/graphql", caller: "anonymous" },
      app: undefined,
    });
  });

  test("resolvers work in the trace of their request, whether spans are recorded or not", async () => {
    const listener = await started({ graphql: graphql(new RecordingMetrics()) });
    const trace = async (headers?: Record<string, string>) =>
      JSON.parse((await send(listener, ...post("{ trace }", headers))).text).data.trace as string;
    assert.equal(await trace({ traceparent: inbound }), inbound);
    assert.ok(parseTraceparent(await trace()));
    assert.ok(parseTraceparent(await trace({ traceparent: "nonsense" })));
    await listener.stop();
    const tracer = new RecordingTracer();
    const recorded = await started({ graphql: graphql(new RecordingMetrics()), tracer });
    const { text } = await send(recorded, ...post("{ trace }", { traceparent: inbound }));
    await recorded.stop();
    assert.equal(JSON.parse(text).data.trace, tracer.spans[0]?.traceparent);
  });

  test("open WebSockets and subscriptions are counted until their client disconnects", async () => {
    const metrics = new RecordingMetrics();
    const listener = await started({ graphql: graphql(metrics) });
    const { host, port } = listener.address();
    const socket = new WebSocket(`ws://${host}:${port}/graphql`, "graphql-transport-ws");
    await once(socket, "open");
    const say = (message: object): void => socket.send(JSON.stringify(message));
    say({ type: "connection_init" });
    await once(socket, "message");
    say({ type: "subscribe", id: "1", payload: { query: "subscription { ticks }" } });
    await once(socket, "message");
    const open = async () => [
      (await metrics.readings(metricCatalogue.websocketsOpen))[0]?.value,
      metrics.value(metricCatalogue.graphqlSubscriptionsOpen),
    ];
    assert.deepEqual(await open(), [1, 1]);
    socket.terminate();
    await eventually(async () => assert.deepEqual(await open(), [0, 0]));
    await listener.stop();
  });
});
