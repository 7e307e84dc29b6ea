import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { isCallPath, isOwnPath } from "@appserver/contracts/names";
import { apiPrefix, renderedPath } from "@appserver/contracts/patterns";
import { scimPrefix } from "@appserver/contracts/scim";
import {
  AppError,
  type Clock,
  type Component,
  type InboundRequest,
  type Logger,
  type OutboundResponse,
  type RequestContext,
} from "@appserver/kernel";
import type { Metrics, Span, Tracer } from "@appserver/kernel/ports";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { appPages } from "./app-pages.ts";
import { assetHandler, assetPatterns } from "./assets.ts";
import { sourceOrigins } from "./client-origin.ts";
import { parseForm } from "./dev-login.ts";
import { DirectRequests, type DirectRoute } from "./direct-requests.ts";
import { directRoutes, graphqlPath } from "./direct-routes.ts";
import {
  createDualProtocolServer,
  type DualProtocolServer,
  type ServerLimits,
  type TlsCertificate,
} from "./dual-protocol-server.ts";
import { logUnexpected, toErrorResponse } from "./error-response.ts";
import { FinishedRequests } from "./finished-requests.ts";
import { type ListenAddress, listen } from "./listen.ts";
import type { ListenerHandlers, ServiceHandlers } from "./listener-handlers.ts";
import { livenessHandler, livenessPaths } from "./liveness.ts";
import { middleware } from "./middleware.ts";
import { NodeRequest } from "./node-request.ts";
import { handshakeResponse, NodeResponse } from "./node-response.ts";
import type { Origins } from "./origins.ts";
import type { PlainHandler } from "./plain/plain-handler.ts";
import { PlainServer } from "./plain/plain-server.ts";
import { RequestChecks } from "./request-checks.ts";
import { InboundContext, requestIdOf } from "./request-context.ts";
import { addRawRoute, addRoute, forNode, routesOf } from "./routes.ts";
import { routing, supportEveryMethod } from "./routing.ts";
import { requireTransport } from "./security-headers.ts";
import { siteHandler } from "./site.ts";
import { SlowBodies } from "./slow-bodies.ts";
import { refuseMalformed, refuseUpgrade } from "./socket-responses.ts";
import { TrustedProxies } from "./trusted-proxies.ts";

export interface HttpListenerOptions extends ListenerHandlers {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly tls?: TlsCertificate;
  /** Whether HTTP/2 is served in addition to HTTP/1.1. */
  readonly http2: boolean;
  /** Whether plain requests of HTTP/1.1 are read without Node's server. */
  readonly plainPath: boolean;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly origins: Origins;
  /** The origin that browsers use, if the operator has configured it. */
  readonly publicOrigin?: string | undefined;
  /** Host names, without port, that requests may use. All if absent. Set it wherever callers need no login. */
  readonly allowedHosts?: readonly string[];
  /** Addresses or CIDR networks of proxies whose `X-Forwarded-For`, `-Proto` and `-Host` are trusted. */
  readonly trustedProxies: readonly string[];
  readonly limits: ServerLimits;
  /**
   * How long requests are still accepted during a stop, while /ready returns 503: until the load balancers have noticed.
   * Connections end with their next response.
   */
  readonly drainDelayMs: number;
  /** Maximum wait during a stop for requests in progress (docs/interface/limits.md#shutdown). */
  readonly shutdownTimeoutMs: number;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

/** The HTTP listener as a component: start rejects with PortInUseError; stop drains. */
export interface HttpListener extends Component {
  start(): Promise<void>;
  /** `isKnown`: whether load balancers may send requests. If not, there is no drain delay. Default true. */
  stop(options?: { readonly isKnown: boolean }): Promise<void>;
  /** Sets the handlers that need services. Before, their paths are 503 (docs/interface/operations.md#start). */
  serve(services: ServiceHandlers): void;
  /** The host and port in use. Throws before start. */
  address(): ListenAddress;
  /** Uses another certificate for new connections. Throws, and changes nothing, if it cannot be used. */
  useCertificate(certificate: TlsCertificate): void;
}

/** Serves HTTP/1.1, HTTP/2 and WebSockets on one port (docs/interface/operations.md#ports). */
export function createHttpListener(options: HttpListenerOptions): HttpListener {
  return new FastifyListener(options);
}

/** No app may have pages below a path that the listener serves: the manifest rules read the same list. */
function requireOwnPath(url: string): void {
  if (url !== "/" && url !== "/*" && !isOwnPath(url)) throw new Error(`${url} is missing in contracts/names/own-paths.ts`);
}

type RawPart = "rest" | "mcp" | "agentSignIn" | "selfService" | "provisioning" | "registry";

class FastifyListener implements HttpListener {
  readonly name = "HTTP listener";
  /** Requests with `Expect: 100-continue` that the proxy confirms. */
  readonly #unconfirmed = new WeakSet<IncomingMessage>();
  readonly #options: HttpListenerOptions;
  readonly #trusted: TrustedProxies;
  readonly #upgraded = new Set<Duplex>();
  readonly #checks: RequestChecks;
  readonly #finished: FinishedRequests;
  readonly #direct: DirectRequests;
  readonly #directRouteOf: ReturnType<typeof directRoutes>;
  #services: Partial<ServiceHandlers> | undefined;
  #app: FastifyInstance | undefined;
  #dual: DualProtocolServer | undefined;
  #address: ListenAddress | undefined;
  #active = 0;
  /** Whether the drain delay has begun, in which load balancers notice the stop. */
  #leaving = false;
  #draining = false;

  constructor(options: HttpListenerOptions) {
    this.#options = options;
    this.#services = options.services;
    this.#trusted = new TrustedProxies(options.trustedProxies);
    const { allowedHosts } = options;
    this.#checks = new RequestChecks({ ...options, allowedHosts: allowedHosts && new Set(allowedHosts) });
    this.#finished = new FinishedRequests(options);
    this.#direct = new DirectRequests({
      ...options,
      checks: this.#checks,
      finished: this.#finished,
      proxies: this.#trusted,
      contextOf: (request, requestId, span) => this.#contextOf(request, requestId, span),
    });
    this.#directRouteOf = directRoutes({
      health: options.health,
      mayServe: (part) => this.#mayServe(part),
      serving: (part) => this.#serving(part),
    });
    options.metrics.observe(metricCatalogue.httpRequestsActive, () => [{ labels: {}, value: this.#active }]);
  }

  serve(services: ServiceHandlers): void {
    this.#services = services;
  }

  address(): ListenAddress {
    if (!this.#address) throw new Error("the HTTP listener has not started");
    return this.#address;
  }

  useCertificate(certificate: TlsCertificate): void {
    if (!this.#dual) throw new Error("the HTTP listener has not started");
    this.#dual.useCertificate(certificate);
  }

  async start(): Promise<void> {
    const app = this.#createApp();
    await app.ready();
    const { host, port, logger } = this.#options;
    this.#address = await listen(app.server, { host, port }, "APPSERVER_HTTP_PORT", logger);
  }

  async stop({ isKnown } = { isKnown: true }): Promise<void> {
    if (!this.#address || this.#leaving) return;
    this.#leaving = true;
    this.#options.health.drain();
    const { clock, drainDelayMs } = this.#options;
    if (isKnown && drainDelayMs > 0) await clock.sleep(drainDelayMs);
    this.#draining = true;
    const closed = new Promise((resolve) => this.#app?.server.close(resolve));
    this.#services?.graphql?.drain();
    this.#services?.rest?.drain?.();
    this.#services?.mcp?.drain?.();
    this.#services?.proxy?.drain?.();
    void this.#services?.calls?.drain();
    this.#dual?.drain();
    await this.#drained();
    this.#dual?.destroy();
    await closed;
    await this.#app?.close();
  }

  /** Waits until no request and no WebSocket is in progress, or the time limit is reached. */
  async #drained(): Promise<void> {
    const { clock, shutdownTimeoutMs } = this.#options;
    const deadline = clock.monotonic() + shutdownTimeoutMs;
    do {
      // Waits also if nothing is in progress: the GOAWAY frames of HTTP/2 connections must be sent first.
      await clock.sleep(20);
      this.#dual?.drain();
    } while (this.#active + this.#upgraded.size > 0 && clock.monotonic() < deadline);
  }

  #createApp(): FastifyInstance {
    const options = this.#options;
    const app = Fastify({
      ...routing,
      serverFactory: (handler) => this.#createServer(handler),
      genReqId: (request: IncomingMessage) => requestIdOf(new NodeRequest(request)),
      bodyLimit: 1_048_576,
    });
    this.#app = app;
    const deps = { ...options, proxies: this.#trusted, checks: this.#checks, finished: this.#finished };
    supportEveryMethod(app);
    app.addHook("onRoute", ({ url }) => requireOwnPath(url));
    for (const { install } of middleware) install(app, deps);
    app.removeContentTypeParser("text/plain");
    app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
      done(null, parseForm(String(body))),
    );
    const late = {
      browserSession: this.#mayServe("browserSession") ? () => this.#serving("browserSession") : undefined,
      deviceLogins: this.#mayServe("deviceLogins") ? () => this.#serving("deviceLogins") : undefined,
      agentSignIn: this.#mayServe("agentSignIn") ? () => this.#serving("agentSignIn") : undefined,
      tokenExchange: this.#mayServe("tokenExchange") ? () => this.#serving("tokenExchange") : undefined,
      sessionEnd: (request: IncomingMessage) => this.#services?.sessionEnd?.(request) ?? (() => {}),
    };
    for (const route of routesOf(options, this.#trusted, late)) addRoute(app, route);
    this.#addRawRoutes(app);
    return app;
  }

  #addRawRoutes(app: FastifyInstance): void {
    const { logger } = this.#options;
    const contextOf = (request: FastifyRequest) => this.#contextOf(new NodeRequest(request.raw), request.id, request.span);
    const add = (part: RawPart, url: string): void => {
      if (this.#mayServe(part)) addRawRoute(app, url, { handler: () => this.#serving(part), ownLog: false, logger, contextOf });
    };
    const liveness = forNode(livenessHandler(this.#options.health));
    for (const url of livenessPaths) addRawRoute(app, url, { handler: () => liveness, ownLog: false, logger, contextOf });
    if (this.#mayServe("proxy")) {
      const handler = () => forNode(this.#serving("proxy"));
      for (const url of [`${apiPrefix}*`, renderedPath(":app"), `${renderedPath(":app")}/*`])
        addRawRoute(app, url, { handler, ownLog: true, logger, contextOf });
    }
    if (this.#mayServe("ui")) {
      // What is a path of an asset only after decoding, or names the host.
      const handler = forNode(assetHandler(() => this.#serving("ui")));
      for (const url of assetPatterns) addRawRoute(app, url, { handler: () => handler, ownLog: false, logger, contextOf });
    }
    add("rest", "/api/v2/*");
    add("mcp", "/mcp");
    if (this.#options.signIn) add("agentSignIn", "/oauth/agents/*");
    if (this.#mayServe("graphql")) {
      // What is its path only after decoding, or names the host.
      const handler = () => forNode(this.#serving("graphql"));
      addRawRoute(app, graphqlPath, { handler, ownLog: false, logger, contextOf });
    }
    if (this.#options.hasSelfService) add("selfService", "/self-service/*");
    if (this.#options.hasProvisioning) add("provisioning", `${scimPrefix}/*`);
    if (this.#options.hasRegistry) for (const url of ["/v2", "/v2/*"]) add("registry", url);
    for (const site of this.#options.sites ?? []) {
      const handler = siteHandler(site, () => this.#services?.pages?.originApps() ?? [], this.#options.branding?.name);
      for (const url of [
        ...(site.isShell ? ["/"] : []),
        ...(site.atRoot ?? []).map((file) => `/${file}`),
        ...[site.path, ...(site.otherPaths ?? [])].flatMap((path) => [path, `${path}/*`]),
      ])
        addRawRoute(app, url, { handler: () => handler, ownLog: false, logger, contextOf });
      if (site.isShell && this.#mayServe("pages"))
        addRawRoute(app, "/*", { handler: () => appPages(this.#serving("pages"), handler), ownLog: false, logger, contextOf });
    }
  }

  /** Whether the listener serves this part now or later. */
  #mayServe(part: keyof ServiceHandlers): boolean {
    return this.#options.services === undefined || this.#options.services[part] !== undefined;
  }

  /** Returns the handler. Throws SERVICE_UNAVAILABLE before {@link serve}. */
  #serving<Part extends keyof ServiceHandlers>(part: Part): NonNullable<ServiceHandlers[Part]> {
    const handler = this.#services?.[part];
    if (handler) return handler;
    throw new AppError("SERVICE_UNAVAILABLE", "the server is starting", { details: { reason: "starting" } });
  }

  #createServer(handler: (request: IncomingMessage, response: never) => void): Server {
    const { limits, tls, http2, plainPath } = this.#options;
    const slowBodies = new SlowBodies();
    const plain = plainPath ? new PlainServer<DirectRoute>(this.#plainHandler(), limits, slowBodies) : undefined;
    const dual = createDualProtocolServer(
      (request, response) => {
        const [inbound, outbound] = [
          new NodeRequest(request, this.#dual?.paceOf(request)),
          new NodeResponse(request, response, this.#unconfirmed.has(request)),
        ];
        this.#begin(inbound, outbound);
        const direct = this.#directRouteOf(inbound.target);
        if (this.#isCall(request)) this.#call(request, response);
        else if (direct) this.#direct.handle(inbound, outbound, direct);
        // Also what is a direct path only after decoding.
        else handler(request, response as never);
      },
      limits,
      tls && { ...tls, clientCertificates: "off" },
      http2,
      {
        plain,
        slowBodies,
        confirmsBody: (request) => this.#leavesConfirmation(request),
        isLeaving: () => this.#leaving,
        watchesBody: (request) => this.#isCall(request),
      },
    );
    this.#dual = dual;
    dual.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => this.#upgrade(request, socket, head));
    dual.server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => refuseMalformed(error, socket));
    return dual.server;
  }

  #plainHandler(): PlainHandler<DirectRoute> {
    return {
      find: (target) => this.#directRouteOf(target),
      handle: (request, response, route) => {
        this.#begin(request, response);
        this.#direct.handle(request, response, route);
      },
    };
  }

  /** Counts a request, and sets the headers of every response. */
  #begin(request: InboundRequest, response: OutboundResponse): void {
    this.#active += 1;
    response.onClose(() => {
      this.#active -= 1;
    });
    if (this.#options.tls) requireTransport(request, response);
    if (this.#leaving && request.httpVersion !== "2.0") response.setHeader("connection", "close");
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#upgraded.add(socket);
    socket.once("close", () => this.#upgraded.delete(socket));
    // Until a handler takes the socket, a reset must not end the process.
    socket.on("error", () => socket.destroy());
    const inbound = new NodeRequest(request);
    const requestId = requestIdOf(inbound);
    const fail = (error: unknown): void => {
      logUnexpected(this.#options.logger, error, requestId);
      refuseUpgrade(socket, error, requestId);
    };
    try {
      const part = this.#upgradedPart(inbound);
      const context = this.#contextOf(inbound, requestId);
      if (part === "graphql") this.#serving(part).handleUpgrade(request, socket, head, context)?.catch(fail);
      else this.#serving(part).handleUpgrade?.(inbound, handshakeResponse(request, socket), { socket, head }, context);
    } catch (error) {
      fail(error);
    }
  }

  /** The body of a call is a stream of messages, whose times and sizes its handler limits. */
  #isCall({ url = "" }: IncomingMessage): boolean {
    const mayServe = this.#services ? this.#services.calls !== undefined : this.#mayServe("calls");
    return mayServe && isCallPath(url.split("?", 1)[0] ?? "");
  }

  #call(request: IncomingMessage, response: ServerResponse): void {
    const { remoteAddress } = this.#trusted.clientOf(new NodeRequest(request));
    try {
      this.#serving("calls").handle(request, response, remoteAddress);
    } catch (error) {
      const { status, headers, body } = toErrorResponse(error, request.headers.accept);
      response.writeHead(status, headers).end(body);
    }
  }

  /** Throws if the path has no WebSocket. */
  #upgradedPart(request: InboundRequest): "graphql" | "proxy" {
    if (this.#draining) throw new AppError("SERVICE_UNAVAILABLE", "the server is stopping");
    this.#checks.requireHost(request);
    const [path = ""] = request.target.split("?", 1);
    const part = path === graphqlPath ? "graphql" : path.startsWith(apiPrefix) ? "proxy" : undefined;
    if (part && this.#mayServe(part) && this.#serving(part).handleUpgrade !== undefined) return part;
    throw new AppError("NOT_FOUND", "no WebSocket at this path");
  }

  /** The proxy requests a body when it needs it: never for a request that it rejects before. */
  #leavesConfirmation(request: IncomingMessage): boolean {
    if (!request.url?.startsWith(apiPrefix) || !this.#mayServe("proxy")) return false;
    this.#unconfirmed.add(request);
    return true;
  }

  #contextOf(request: InboundRequest, requestId: string, span?: Span): RequestContext {
    const client = this.#trusted.clientOf(request);
    const origins = (): readonly string[] => sourceOrigins(request, client, this.#options.publicOrigin);
    const message = request instanceof NodeRequest ? request.message : undefined;
    const awaitsContinue = message !== undefined && this.#unconfirmed.has(message);
    return new InboundContext(request, { requestId, client, origins, span, awaitsContinue });
  }
}
