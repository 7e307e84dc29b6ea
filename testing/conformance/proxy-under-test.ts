import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { appApi } from "@appserver/contracts/manifest";
import type { RouteSpecSchema } from "@appserver/contracts/proto/appserver/v2/api";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import {
  anonymousCaller,
  BufferBudget,
  newTraceparent,
  SystemClock,
  silentLogger,
  silentMetrics,
  silentTracer,
} from "@appserver/kernel";
import type { Cache } from "@appserver/kernel/ports";
import { HttpOutbound } from "@appserver/outbound-http";
import { createProxy } from "@appserver/proxy";
import { NodeRequest, NodeResponse } from "@appserver/transports/http";
import { create, type MessageInitShape } from "@bufbuild/protobuf";

/** The requests that the upstream received. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface ProxyUnderTest {
  /** Everything that reached the upstream. */
  readonly received: readonly Received[];
  /** Sends bytes on a new connection. Resolves with the received bytes once it closes or falls silent. */
  send(bytes: Buffer): Promise<string>;
  stop(): Promise<void>;
}

export type DeclaredRoute = MessageInitShape<typeof RouteSpecSchema>;

/** One app, `demo`, behind a real HTTP server, for callers without credentials; its upstream records every request. */
export async function startProxy(routes: DeclaredRoute[], stripBasePath: boolean): Promise<ProxyUnderTest> {
  const received: Received[] = [];
  const upstream = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString("latin1") });
      response.end("ok");
    });
  });
  const demo = {
    id: "demo",
    name: "demo",
    version: "1.0.0",
    generation: 1,
    api: appApi(create(AppManifestSchema, { name: "demo", webApp: { api: { stripBasePath, timeoutMs: 5_000, routes } } })),
    upstream: { url: `http://127.0.0.1:${await listen(upstream)}`, managed: true },
  } as const;
  const proxy = createProxy({
    installed: { all: () => [demo], get: () => demo, refresh: async () => {} },
    authenticator: { authenticate: () => anonymousCaller, reauthentication: () => () => {} },
    permissions: { allowed: () => false },
    rights: { mayActForOrigin: () => false, mayReadPeople: () => false },
    connections: { join: () => () => {} },
    cache: emptyCache,
    clock: new SystemClock(),
    logger: silentLogger,
    metrics: silentMetrics,
    tracer: silentTracer,
    sessionCookieName: "identity_session",
    forwardSession: false,
    maxBodyBytes: 10 * 1024 * 1024,
    maxForwardedBytes: 16 * 1024,
    wakes: { wake: async () => {} },
    publicWakes: { perAddress: 6, inAll: 30 },
    wakeTimeoutMs: 30_000,
    circuitEvents: { append: async () => {} },
    requests: { add: () => {} },
    budget: new BufferBudget({ totalBytes: 256 * 1024 * 1024 }),
    upstreams: new HttpOutbound({
      allow: [],
      deny: [],
      allowLoopback: false,
      clock: new SystemClock(),
      logger: silentLogger,
    }),
  });
  await proxy.start?.();
  let requests = 0;
  const front = createServer((request, response) => {
    proxy.http.handle(new NodeRequest(request), new NodeResponse(request, response), {
      requestId: `r${++requests}`,
      remoteAddress: "203.0.113.9",
      traceparent: newTraceparent(),
    });
  });
  const port = await listen(front);
  return {
    received,
    send: (bytes) => send(port, bytes),
    stop: async () => {
      for (const server of [front, upstream]) {
        server.closeAllConnections();
        server.close();
      }
      await proxy.stop?.();
    },
  };
}

const emptyCache: Cache = {
  get: () => undefined,
  set: () => {},
  delete: () => {},
  deletePrefix: () => {},
  addIfAbsent: () => "added",
  slidingWindow: () => ({ allowed: true, window: 0, remaining: 0, resetMs: 0 }),
  healthy: () => true,
};

function listen(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

/** Pipelined requests start together: when one response has arrived, all of them have started. */
const silenceMs = 50;

function send(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      socket.setTimeout(silenceMs);
    });
    // A reset is also a valid response.
    socket.on("error", () => {});
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
    socket.setTimeout(10_000, () => socket.destroy());
    socket.write(bytes);
  });
}
