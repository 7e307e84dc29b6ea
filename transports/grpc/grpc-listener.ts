import {
  type BufferBudget,
  type Clock,
  type Component,
  type LiveConnections,
  type Logger,
  settledWithin,
} from "@appserver/kernel";
import type { Metrics, Tracer } from "@appserver/kernel/ports";
import { Code, ConnectError, createConnectRouter } from "@connectrpc/connect";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import {
  createDualProtocolServer,
  type DualProtocolServer,
  type ServerLimits,
  type TlsCertificate,
  type TlsOptions,
} from "../http/dual-protocol-server.ts";
import type { HealthChecks } from "../http/health-checks.ts";
import { type ListenAddress, listen } from "../http/listen.ts";
import type { CallHandler } from "../http/listener-handlers.ts";
import type { Origins } from "../http/origins.ts";
import type { AuthenticateCall, ReauthenticationOfCall } from "./call-context.ts";
import { callInterceptors } from "./call-interceptors.ts";
import type { GrpcService } from "./grpc-service.ts";
import { healthService } from "./health-service.ts";
import { reflectionServices } from "./reflection-service.ts";
import { RpcHandler } from "./rpc-handler.ts";

export interface GrpcListenerOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly tls?: TlsOptions;
  /** Origins whose pages may call, by gRPC-Web or Connect. */
  readonly origins: Origins;
  /** Host names, without port, that calls may use. All if absent. Set it wherever callers need no login. */
  readonly allowedHosts?: readonly string[];
  readonly services: readonly GrpcService[];
  readonly authenticate: AuthenticateCall;
  /** Returns the repeated check of the caller of a stream. */
  readonly reauthentication: ReauthenticationOfCall;
  /** Registry for streams. It checks their callers again. */
  readonly connections: Pick<LiveConnections, "join">;
  readonly health: HealthChecks;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly logger: Logger;
  readonly clock: Clock;
  /** APPSERVER_GRPC_REFLECTION_ENABLED */
  readonly reflection: boolean;
  /** Maximum size of one message, before and after inflation. Default 64 MiB (docs/interface/grpc.md#message-limits). */
  readonly maxMessageBytes?: number;
  /** `readTimeoutMs` limits one message here, and `idleTimeoutMs` also the pauses of clients that send streams. */
  readonly limits: ServerLimits;
  /** Budget of everything that this process buffers. */
  readonly budget: BufferBudget;
  /** Maximum wait during a stop for unary calls in progress (docs/interface/limits.md#shutdown). */
  readonly shutdownTimeoutMs: number;
}

/** The gRPC listener as a component: start rejects with PortInUseError; stop drains. */
export interface GrpcListener extends Component {
  start(): Promise<void>;
  stop(): Promise<void>;
  /** The host and port in use. Throws before start. */
  address(): ListenAddress;
  /** Uses another certificate for new connections. Throws, and changes nothing, if it cannot be used. */
  useCertificate(certificate: TlsCertificate): void;
  /** Handles calls that arrive on another port. */
  readonly calls: CallHandler;
}

/** Serves gRPC, gRPC-Web and Connect over HTTP/2 and HTTP/1.1 on one port (docs/interface/grpc.md). */
export function createGrpcListener(options: GrpcListenerOptions): GrpcListener {
  return new ConnectListener(options);
}

class ConnectListener implements GrpcListener {
  readonly name = "gRPC listener";
  readonly #options: GrpcListenerOptions;
  readonly #shutdown = new AbortController();
  readonly #handler: RpcHandler;
  readonly #dual: DualProtocolServer;
  #address: ListenAddress | undefined;

  constructor(options: GrpcListenerOptions) {
    this.#options = options;
    const { maxMessageBytes = 64 * 1024 * 1024, services, health, logger, clock } = options;
    const router = createConnectRouter({
      acceptCompression: [compressionGzip, compressionBrotli],
      readMaxBytes: maxMessageBytes,
      writeMaxBytes: maxMessageBytes,
      // No code reads unknown fields, and millions of them fit into one message.
      binaryOptions: { readUnknownFields: false },
      interceptors: callInterceptors(options),
      shutdownSignal: this.#shutdown.signal,
    });
    const descriptors = services.map(({ service }) => service);
    const names = descriptors.map(({ typeName }) => typeName);
    const ofHealth = healthService(health, names, clock);
    const reflection = options.reflection ? reflectionServices([...descriptors, ofHealth.service]) : [];
    for (const service of [...services, ofHealth, ...reflection]) service.register(router);
    const browsers = { origins: options.origins, allowedHosts: options.allowedHosts && new Set(options.allowedHosts) };
    const { limits, authenticate, budget } = options;
    const { readTimeoutMs, idleTimeoutMs } = limits;
    this.#handler = new RpcHandler({
      router,
      authenticate,
      browsers,
      budget,
      maxMessageBytes,
      readTimeoutMs,
      idleTimeoutMs,
      logger,
    });
    // Streams may have any duration: the handler limits messages, not requests.
    const own = { ...limits, readTimeoutMs: 0 };
    this.#dual = createDualProtocolServer(
      (request, response) => this.#handler.handle(request, response),
      own,
      options.tls,
      true,
      { isLeaving: () => health.isDraining },
    );
  }

  readonly calls: CallHandler = {
    handle: (request, response, remoteAddress) => this.#handler.handle(request, response, remoteAddress),
    drain: () => this.#endCalls(),
  };

  address(): ListenAddress {
    if (!this.#address) throw new Error("the gRPC listener has not started");
    return this.#address;
  }

  useCertificate(certificate: TlsCertificate): void {
    this.#dual.useCertificate(certificate);
  }

  async start(): Promise<void> {
    const { host, port, logger } = this.#options;
    this.#address = await listen(this.#dual.server, { host, port }, "APPSERVER_GRPC_PORT", logger);
  }

  async stop(): Promise<void> {
    if (!this.#address || this.#shutdown.signal.aborted) return;
    const { clock } = this.#options;
    const closed = new Promise((resolve) => this.#dual.server.close(resolve));
    this.#dual.drain();
    await this.#endCalls();
    this.#dual.drain();
    await settledWithin(closed, { clock, ms: 1000 });
    this.#dual.destroy();
    await closed;
  }

  async #endCalls(): Promise<void> {
    const { clock, shutdownTimeoutMs } = this.#options;
    const deadline = clock.monotonic() + shutdownTimeoutMs;
    while (this.#handler.unaryCalls > 0 && clock.monotonic() < deadline) await clock.sleep(20);
    // Streams would never end by themselves. Their clients reconnect to another replica.
    this.#shutdown.abort(new ConnectError("the server is stopping", Code.Unavailable));
  }
}
