import { once } from "node:events";
import { type IncomingMessage, type RequestOptions, request } from "node:http";
import {
  AppError,
  type InboundRequest,
  type OutboundResponse,
  type RequestContext,
  SystemClock,
  silentLogger,
  silentMetrics,
  silentTracer,
} from "@appserver/kernel";
import { WebSocketServer } from "ws";
import {
  createHttpListener,
  type GraphqlHandler,
  HealthChecks,
  type HttpListener,
  type HttpListenerOptions,
  NodeRequest,
  NodeResponse,
  Origins,
  type ProxyHandler,
  type RawHandler,
  type ServerLimits,
  type ServiceHandlers,
} from "../http/index.ts";
import type { Upgrade } from "../http/request-context.ts";
import { httpOptions } from "./listener-options.ts";

const clock = new SystemClock();

/** A handler in place of the proxy: returns the request as JSON and serves WebSockets. */
export class Echo implements ProxyHandler {
  readonly #sockets = new WebSocketServer({ noServer: true });
  closed = 0;
  /** Paths of the requests so far. */
  readonly received: (string | undefined)[] = [];

  /** The same in place of GraphQL. */
  readonly graphql: GraphqlHandler = {
    handle: (request, response, context) => this.handle(request, response, context),
    handleUpgrade: (message, socket, head) => this.#accept(message, { socket, head }),
    drain: () => this.drain(),
  };

  /** The same in place of REST. */
  readonly rest: RawHandler = {
    handle: (message, response, context) => this.handle(new NodeRequest(message), new NodeResponse(message, response), context),
  };

  async handle(request: InboundRequest, response: OutboundResponse, context: RequestContext): Promise<void> {
    const { method, target: url } = request;
    this.received.push(url);
    if (url.endsWith("/fail")) throw new AppError("UPSTREAM_ERROR", "the app did not respond");
    if (url.endsWith("/limited")) throw new AppError("RATE_LIMIT_EXCEEDED", "slow down", { details: { retry_after: 7 } });
    if (url.endsWith("/crash")) throw new Error("secret cause");
    if (url.endsWith("/slow")) await clock.sleep(150);
    const body = (await wholeBody(request)).toString();
    const { traceparent, requestId, remoteAddress, protocol, host } = context;
    response.writeHead(200, ["content-type", "application/json", "traceparent", traceparent]);
    response.end(JSON.stringify({ method, url, body, requestId, remoteAddress, protocol, host }));
  }

  handleUpgrade(request: InboundRequest, _response: OutboundResponse, upgrade: Upgrade): void {
    this.#accept((request as NodeRequest).message, upgrade);
  }

  drain(): void {
    for (const client of this.#sockets.clients) client.close(1001);
  }

  #accept(message: IncomingMessage, { socket, head }: Upgrade): void {
    this.#sockets.handleUpgrade(message, socket, head, (client) => client.on("message", (text) => client.send(String(text))));
  }
}

/** Resolves with the body of a request. Rejects if it ends too early. */
export function wholeBody({ body }: InboundRequest): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  return new Promise((resolve, reject) => {
    if (!body || body.bytes) resolve(Buffer.from(body?.bytes ?? []));
    else body.read({ onData: (chunk) => chunks.push(chunk) > 0, onEnd: () => resolve(Buffer.concat(chunks)), onError: reject });
  });
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: Buffer;
  readonly text: string;
}

interface FixtureOptions extends Partial<Omit<HttpListenerOptions, "limits" | "services"> & ServiceHandlers> {
  readonly limits?: Partial<ServerLimits>;
  /** Whether the handlers come after the start. */
  readonly startsEarly?: boolean;
}

export async function started({ limits, startsEarly, ...given }: FixtureOptions = {}): Promise<HttpListener> {
  const {
    ui,
    pages,
    proxy,
    graphql,
    rest,
    calls,
    selfService,
    provisioning,
    browserSession,
    deviceLogins,
    tokenExchange,
    sessionEnd,
    ...options
  } = given;
  const services = {
    ...(ui && { ui }),
    ...(pages && { pages }),
    ...(proxy && { proxy }),
    ...(graphql && { graphql }),
    ...(rest && { rest }),
    ...(calls && { calls }),
    ...(selfService && { selfService }),
    ...(provisioning && { provisioning }),
    ...(browserSession && { browserSession }),
    ...(deviceLogins && { deviceLogins }),
    ...(tokenExchange && { tokenExchange }),
    ...(sessionEnd && { sessionEnd }),
  };
  const listener = createHttpListener({
    ...httpOptions,
    plainPath: process.env["APPSERVER_PLAIN_PATH"] !== "false",
    limits: { ...httpOptions.limits, ...limits },
    host: "127.0.0.1",
    port: 0,
    logger: silentLogger,
    metrics: silentMetrics,
    tracer: silentTracer,
    clock,
    origins: new Origins(["https://console.example.com"]),
    ...(!startsEarly && { services }),
    health: new HealthChecks({ checks: [], clock, version: "0.1.0" }),
    ...options,
  });
  await listener.start();
  return listener;
}

export async function send(listener: HttpListener, path: string, options: RequestOptions = {}, body?: string): Promise<Answer> {
  const { host, port } = listener.address();
  const outgoing = request({ host, port, path, agent: false, ...options });
  outgoing.end(body);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return { status: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString() };
}
