import type { Duplex } from "node:stream";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { apiPrefix } from "@appserver/contracts/patterns";
import type { AppRights, BufferBudget, Clock, Component, LiveConnections, Logger, Permissions } from "@appserver/kernel";
import type { SampleSource } from "@appserver/kernel/ports";
import { RequestMetrics } from "./adapters/request-metrics.ts";
import { RouteSamples } from "./adapters/route-samples.ts";
import { DirectCalls } from "./api/direct-calls.ts";
import { developmentGrpc } from "./api/grpc.ts";
import { HttpEntry } from "./api/http.ts";
import type { BreakerState } from "./domain/circuit-breaker.ts";
import type { Cache, Callers, CircuitEvents, Metrics, ProxiedApps, RequestLog, Tracer, Upstreams, Wakes } from "./ports.ts";
import { BufferedRequests } from "./use-cases/forward-request/buffered-requests.ts";
import { admitRequestSteps, forwardRequestSteps } from "./use-cases/forward-request/forward-request.ts";
import { FreshApps } from "./use-cases/forward-request/fresh-apps.ts";
import type { PublicWakes } from "./use-cases/forward-request/wake-asleep.ts";
import { AppDirectory } from "./workers/app-directory.ts";
import { CircuitAnnouncer } from "./workers/circuit-announcer.ts";
import { DeveloperTunnels } from "./workers/developer-tunnels.ts";
import type { DrainState } from "./workers/retired-upstreams.ts";
import { WakingApps } from "./workers/waking-apps.ts";

export { type CircuitEventsDeps, createCircuitEvents } from "./adapters/outbox-circuit-events.ts";
export type { DirectCaller, DirectCalls, DirectRequest } from "./api/direct-calls.ts";
export type { DirectResponse } from "./api/memory-response.ts";
export type { BreakerState } from "./domain/circuit-breaker.ts";
export type { ProxiedApp } from "./domain/proxied-app.ts";
export type { Callers, CircuitChange, CircuitEvents, ProxiedApps, Upstreams, Wakes } from "./ports.ts";
export type { PublicWakes } from "./use-cases/forward-request/wake-asleep.ts";
export type { DrainState } from "./workers/retired-upstreams.ts";

export interface ProxyDeps {
  /** The apps to serve. {@link AppProxy.refreshApp} reports their changes. */
  readonly installed: ProxiedApps;
  readonly authenticator: Callers;
  readonly permissions: Permissions;
  readonly rights: AppRights;
  /** WebSockets and streams are registered here for repeated checks. */
  readonly connections: Pick<LiveConnections, "join">;
  /** Stores the counts for rate limits. */
  readonly cache: Cache;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Upstreams cannot set this cookie and do not receive it. */
  readonly sessionCookieName: string;
  /** Whether listed headers are forwarded unchanged, including the caller's session. */
  readonly forwardSession: boolean;
  /** Maximum size of request bodies, for apps whose manifests set none. */
  readonly maxBodyBytes: number;
  /** Maximum size of the target and headers that a backend receives of a request. */
  readonly maxForwardedBytes: number;
  readonly upstreams: Upstreams;
  /** Starts apps that are asleep. */
  readonly wakes: Wakes;
  readonly publicWakes: PublicWakes;
  /** Maximum time that a request waits for an app to start. */
  readonly wakeTimeoutMs: number;
  /** Stores that circuits opened and closed. No request waits for it. */
  readonly circuitEvents: CircuitEvents;
  readonly metrics: Metrics;
  /** Limits the memory for buffered request bodies. */
  readonly budget: BufferBudget;
  /** Records a span for each forwarded request. */
  readonly tracer: Tracer;
  /** Gets each request at its end, for traces. */
  readonly requests: RequestLog;
}

/** The listener has already drained, so only streams are still open. */
const stopGraceMs = 1_000;

/** The HTTP proxy of installed apps. Starting it loads the routes. Stopping it ends WebSockets and closes upstreams. */
export interface AppProxy extends Component {
  /** Handles requests for `/api/apps/…`. */
  readonly http: HttpEntry;
  /** Calls routes for callers that another listener has authenticated. */
  readonly direct: DirectCalls;
  /** The methods of `DevelopmentService`. */
  readonly grpc: ReturnType<typeof developmentGrpc>;
  /** Counts requests by app and route. */
  readonly samples: SampleSource;
  /** Must be called after each change of an installed app. */
  refreshApp(name: string): void;
  /** Returns the breaker state of a served app. Undefined for other apps. */
  breakerState(appName: string): BreakerState | undefined;
  /** Returns the names of the apps that requests use now, or have used since the last call (docs/interface/sleep.md). */
  takeUsed(): readonly string[];
  /** Returns what still runs on earlier generations of an app. Undefined for an app that is not installed or has no API. */
  drainState(appName: string): DrainState | undefined;
  /**
   * Calls `listener` when new requests of an app go to another generation, and when the last request with an earlier upstream
   * has ended, until the returned function is called. It must not throw.
   */
  onDrainChange(listener: (appName: string) => void): () => void;
}

export function createProxy(deps: ProxyDeps): AppProxy {
  const buffered = new BufferedRequests(deps.clock);
  const fresh = new FreshApps(deps);
  const drainListeners = new Set<(appName: string) => void>();
  const announcer = new CircuitAnnouncer(deps);
  const tunnels = new DeveloperTunnels(deps.upstreams);
  const counts = new RequestMetrics(deps.metrics);
  const apps: AppDirectory = new AppDirectory({
    ...deps,
    onBreakerChange: (app, change) => {
      deps.logger.warn(
        { app: app.name, state: change.state, reason: change.opening?.reason },
        "proxy: the state of a circuit breaker changed",
      );
      announcer.changed(app, change);
    },
    onReleased: (appName) => buffered.release(appName),
    onDrainChange: (appName) => {
      for (const listener of drainListeners) listener(appName);
    },
    onRemoved: (appName) => {
      fresh.remove(appName);
      tunnels.close(appName);
      counts.remove(appName);
      deps.metrics.remove({ app: appName });
    },
  });
  const samples = new RouteSamples();
  const upgraded = new Set<Duplex>();
  const onUpgraded = (client: Duplex): void => {
    upgraded.add(client);
    client.once("close", () => upgraded.delete(client));
  };
  const isWanted = (name: string): boolean => {
    const app = apps.find(name);
    return app?.isServing === true && app.isAsleep && buffered.isWaiting(name);
  };
  const waking = new WakingApps({ ...deps, isWanted });
  const parts = { ...deps, apps, buffered, fresh, tunnels, waking, onUpgraded };
  const http = new HttpEntry({
    ...deps,
    steps: forwardRequestSteps(parts),
    onRequest: (record, isTunnelled) => {
      if (!isTunnelled) {
        counts.add(record, record.app !== undefined && apps.find(record.app) !== undefined);
        samples.add(record);
      }
      deps.requests.add(record);
    },
  });
  deps.metrics.observe(metricCatalogue.breakerState, () => breakerReadings(apps));
  deps.metrics.observe(metricCatalogue.websocketsOpen, () => [{ labels: { route: `${apiPrefix}*` }, value: upgraded.size }]);
  return {
    name: "proxy",
    start: () => apps.refreshAll(),
    stop: async () => {
      for (const client of upgraded) client.destroy();
      tunnels.close();
      await apps.close(stopGraceMs);
      await announcer.stop();
    },
    http,
    direct: new DirectCalls({ ...deps, entry: http, admission: admitRequestSteps(parts) }),
    grpc: developmentGrpc({ ...deps, apps, tunnels }),
    samples,
    refreshApp: (name) => apps.refreshApp(name),
    breakerState: (appName) => {
      const app = apps.find(appName);
      return app?.isServing ? app.breaker.state : undefined;
    },
    takeUsed: () => apps.takeUsed(),
    drainState: (appName) => apps.drainState(appName),
    onDrainChange: (listener) => {
      drainListeners.add(listener);
      return () => drainListeners.delete(listener);
    },
  };
}

const stateNumbers: Readonly<Record<BreakerState, number>> = { CLOSED: 0, HALF_OPEN: 1, OPEN: 2 };

function breakerReadings(apps: AppDirectory): readonly { readonly labels: { readonly app: string }; readonly value: number }[] {
  return [...apps.all()].flatMap((app) =>
    app.isServing ? [{ labels: { app: app.name }, value: stateNumbers[app.breaker.state] }] : [],
  );
}
