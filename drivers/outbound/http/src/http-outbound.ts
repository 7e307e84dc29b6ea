import type { Duplex } from "node:stream";
import type {
  AnswerLimits,
  DocumentRequest,
  Outbound,
  OutboundMessage,
  PostResponse,
  ReadDocument,
  Upstream,
  UpstreamTarget,
} from "@appserver/kernel/ports";
import { Http1Upstreams } from "./http1-upstreams.ts";
import { PooledUpstream } from "./pooled-upstream.ts";
import { UpstreamConnections, type UpstreamConnectionsOptions } from "./upstream-connections.ts";
import { UpstreamPoster } from "./upstream-poster.ts";
import { UpstreamProber } from "./upstream-prober.ts";

/** The host of backends that are connected to in another way. */
const localhost = new URL("http://localhost");

/** Sends requests to backends of apps with undici. Only calls to {@link Upstream} stream. */
export class HttpOutbound implements Outbound {
  readonly #connections: UpstreamConnections;
  readonly #upstreams: Http1Upstreams;
  readonly #poster: UpstreamPoster;
  readonly #prober: UpstreamProber;

  /** Throws RangeError for an invalid address range. */
  constructor(options: UpstreamConnectionsOptions) {
    this.#connections = new UpstreamConnections(options);
    this.#upstreams = new Http1Upstreams(this.#connections);
    this.#poster = new UpstreamPoster(this.#connections);
    this.#prober = new UpstreamProber(this.#connections);
  }

  open(target: UpstreamTarget): Upstream {
    return this.#upstreams.open(target);
  }

  openOver(dial: () => Duplex): Upstream {
    return new PooledUpstream(localhost, (_, callback) => callback(null, { socket: dial(), isStream: true }));
  }

  post(target: UpstreamTarget, path: string, message: OutboundMessage, timeoutMs: number): Promise<PostResponse> {
    return this.#poster.post(target, path, message, timeoutMs);
  }

  ask(target: UpstreamTarget, path: string, message: OutboundMessage, limits: AnswerLimits): Promise<ReadDocument> {
    return this.#poster.ask(target, path, message, limits);
  }

  probe(url: string, timeoutMs: number): Promise<string | undefined> {
    return this.#prober.probe(url, timeoutMs);
  }

  get(url: string, limits: DocumentRequest): Promise<ReadDocument> {
    return this.#prober.get(url, limits);
  }

  allowsAddress(address: string): boolean {
    return this.#connections.allows(address);
  }

  async close(): Promise<void> {
    await Promise.all([this.#poster.close(), this.#prober.close()]);
  }
}
