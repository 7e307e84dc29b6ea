import type { Component } from "@appserver/kernel";
import type { Metrics, Tracer } from "@appserver/kernel/ports";
import {
  createHttpListener,
  HealthChecks,
  type HttpListener,
  type HttpListenerOptions,
  type Origins,
  type ReadinessCheck,
  type ServiceHandlers,
} from "@appserver/transports/http";
import { platformVersion } from "../version.ts";
import { exposeAllWorkers } from "../worker-metrics.ts";
import { siblingReadiness } from "../worker-readiness.ts";

export type MainListenerOptions = Omit<HttpListenerOptions, "health" | "scrape" | "services"> &
  Required<Pick<HttpListenerOptions, "branding" | "metricsAccess">>;

const starting: ReadinessCheck = {
  name: "start",
  critical: true,
  check: () => Promise.reject(new Error("the server is starting")),
};

/**
 * Opens the HTTP listener at the beginning of a start. While the server loads the rest and waits for the database, /health is
 * 200, and /ready and everything else are 503 (docs/interface/operations.md#start).
 */
export class MainListener implements Component {
  readonly name = "main listener";
  readonly health: HealthChecks;
  readonly origins: Origins;
  /** Undefined if the operator has not named it. */
  readonly publicOrigin: string | undefined;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly http: HttpListener;
  readonly #siblings = siblingReadiness();
  #checks: readonly ReadinessCheck[] = [];
  #isReady = false;

  constructor(options: MainListenerOptions) {
    this.origins = options.origins;
    this.publicOrigin = options.publicOrigin;
    this.metrics = options.metrics;
    this.tracer = options.tracer;
    this.health = new HealthChecks({ clock: options.clock, version: platformVersion, checks: [starting] });
    this.http = createHttpListener({
      ...options,
      health: this.health,
      scrape: exposeAllWorkers(options.metrics),
    });
  }

  /** Starts the listener. After the signal aborts, /ready returns 503, whatever is still stopping or starting. */
  start(signal?: AbortSignal): Promise<void> {
    signal?.addEventListener("abort", () => this.health.drain(), { once: true });
    return this.http.start();
  }

  /** Drains and closes the listener. May be called again. */
  stop(): Promise<void> {
    // Before that, /ready never returned 200, so no load balancer sends requests.
    return this.http.stop({ isKnown: this.#isReady });
  }

  /** Sets further checks of /ready for the rest of the start. The check that the start has ended stays. */
  await(checks: readonly ReadinessCheck[]): void {
    this.health.replaceChecks([starting, ...checks]);
  }

  /** Sets the handlers, so that requests are served, and the checks of /ready, which stays 503 until {@link ready}. */
  open(services: ServiceHandlers, checks: readonly ReadinessCheck[]): void {
    this.#checks = checks;
    this.http.serve(services);
    this.await(checks);
  }

  /** Ends the start: /ready is 200 as long as its checks succeed. The last step, because load balancers then send requests. */
  ready(): void {
    this.#isReady = true;
    this.health.replaceChecks(this.#siblings ? [...this.#checks, this.#siblings.check] : this.#checks);
    this.#siblings?.open();
  }
}
