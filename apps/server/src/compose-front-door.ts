import { AppError, type Component } from "@appserver/kernel";
import type { Metrics, Tracer } from "@appserver/kernel/ports";
import {
  createHttpListener,
  type HealthCheck,
  HealthChecks,
  type HttpListener,
  type HttpListenerOptions,
  type ListenerHandlers,
  type Origins,
  type RawHandler,
} from "./listeners/http/index.ts";
import { platformVersion } from "./version.ts";
import { exposeAllWorkers } from "./worker-metrics.ts";

/** What requests are for; `ui`, `proxy`, `graphql` and `rest` come with {@link FrontDoor.open}. */
export type ServedHandlers = Required<Pick<ListenerHandlers, "ui" | "proxy" | "graphql" | "rest">>;

export type FrontDoorOptions = Omit<HttpListenerOptions, "health" | "scrape" | keyof ServedHandlers>;

const starting: HealthCheck = {
  name: "start",
  critical: true,
  check: () => Promise.reject(new Error("the server is starting")),
};

/**
 * The HTTP listener from the first moment of a start on: /health answers while the rest is loaded and the database is
 * waited for, /ready says that it is not there yet, and everything else is 503 (design/behaviour "Health", reliability).
 */
export class FrontDoor implements Component {
  readonly name = "front door";
  readonly health: HealthChecks;
  readonly origins: Origins;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly http: HttpListener;
  #handlers: ServedHandlers | undefined;

  constructor(options: FrontDoorOptions) {
    this.origins = options.origins;
    this.metrics = options.metrics;
    this.tracer = options.tracer;
    this.health = new HealthChecks({ clock: options.clock, version: platformVersion, checks: [starting] });
    const served = (): ServedHandlers => this.#served();
    this.http = createHttpListener({
      ...options,
      health: this.health,
      scrape: exposeAllWorkers(options.metrics),
      ui: {
        get http() {
          return served().ui.http;
        },
      },
      proxy: this.#later("proxy"),
      graphql: this.#later("graphql"),
      rest: this.#later("rest"),
    });
  }

  start(): Promise<void> {
    return this.http.start();
  }

  /** Drains and closes; safe to call again. */
  stop(): Promise<void> {
    return this.http.stop();
  }

  /** What /ready asks from now on, besides that the start is not over. */
  await(checks: readonly HealthCheck[]): void {
    this.health.replaceChecks([starting, ...checks]);
  }

  /** Lets requests in. */
  open(handlers: ServedHandlers, checks: readonly HealthCheck[]): void {
    this.#handlers = handlers;
    this.health.replaceChecks(checks);
  }

  #served(): ServedHandlers {
    if (this.#handlers) return this.#handlers;
    throw new AppError("SERVICE_UNAVAILABLE", "the server is starting", { details: { reason: "starting" } });
  }

  #later(part: "proxy" | "graphql" | "rest"): RawHandler {
    return {
      handle: (request, response, context) => this.#served()[part].handle(request, response, context),
      handleUpgrade: (request, socket, head, context) => this.#served()[part].handleUpgrade?.(request, socket, head, context),
      drain: () => this.#handlers?.[part].drain?.(),
    };
  }
}
