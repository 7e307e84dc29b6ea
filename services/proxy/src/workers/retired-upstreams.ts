import type { Logger } from "@appserver/kernel";
import type { CountedUpstream } from "./counted-upstream.ts";

/** What the proxy of this process still does with earlier generations of an app. */
export interface DrainState {
  /** New requests go to this generation. While requests are buffered, it is the generation that they wait for. */
  readonly generation: number;
  /** Requests, WebSockets and streams that still run on upstreams of earlier generations. */
  readonly exchanges: number;
  /** Whether new requests wait until the app is woken. Then `exchanges` has those on this generation, too. */
  readonly isAsleep: boolean;
}

export interface RetiredUpstreamsDeps {
  readonly logger: Logger;
  /** Called when the last request with an upstream of the app has ended. */
  readonly onDrainChange: (appName: string) => void;
}

/** Upstreams that get no new requests. Each is closed when its last request has ended. */
export class RetiredUpstreams {
  readonly #deps: RetiredUpstreamsDeps;
  /** By app. The value is the generation in which the upstream was last used. */
  readonly #byApp = new Map<string, Map<CountedUpstream, number>>();

  constructor(deps: RetiredUpstreamsDeps) {
    this.#deps = deps;
  }

  add(appName: string, generation: number, upstream: CountedUpstream): void {
    const retired = this.#byApp.get(appName) ?? new Map<CountedUpstream, number>();
    this.#byApp.set(appName, retired.set(upstream, generation));
    const isBusy = upstream.requests > 0;
    upstream.whenIdle(() => {
      retired.delete(upstream);
      if (retired.size === 0 && this.#byApp.get(appName) === retired) this.#byApp.delete(appName);
      upstream.close().catch((error: unknown) => {
        this.#deps.logger.warn({ err: error, app: appName }, "proxy: could not close an upstream");
      });
      if (isBusy) this.#deps.onDrainChange(appName);
    });
  }

  /** Returns the number of requests on upstreams of generations before `generation`. */
  requestsBefore(appName: string, generation: number): number {
    let requests = 0;
    for (const [upstream, usedBy] of this.#byApp.get(appName) ?? []) {
      if (usedBy < generation) requests += upstream.requests;
    }
    return requests;
  }

  /** Returns the number of requests on all of them. */
  requests(appName: string): number {
    return this.requestsBefore(appName, Number.POSITIVE_INFINITY);
  }

  /** Closes all of them after a grace period for running requests. */
  async close(graceMs: number): Promise<void> {
    const open = [...this.#byApp.values()].flatMap((retired) => [...retired.keys()]);
    await Promise.all(open.map((upstream) => upstream.close(graceMs)));
  }
}
