import type { IncomingMessage, ServerResponse } from "node:http";
import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { metricCatalogue } from "@appserver/contracts/metrics";
import type { Clock, Component, Logger } from "@appserver/kernel";
import { RequestCounts } from "./adapters/request-counts.ts";
import { UndiciUpstreams } from "./adapters/undici-upstreams.ts";
import { HttpEntrance } from "./api/http.ts";
import type { BreakerState } from "./domain/circuit-breaker.ts";
import { AddressPolicy } from "./domain/upstream-address.ts";
import type { Cache, Metrics, RouteSource, Tracer } from "./ports.ts";
import { AppDirectory } from "./use-cases/app-directory.ts";
import type { CallerAuthenticator } from "./use-cases/authenticate-caller/authenticate-caller.ts";
import type { PermissionChecker } from "./use-cases/check-permission.ts";
import type { RequestContext } from "./use-cases/forward-request/exchange.ts";
import { forwardRequestSteps } from "./use-cases/forward-request/forward-request.ts";

export interface ProxyDeps {
  readonly routes: RouteSource;
  readonly authenticator: CallerAuthenticator;
  readonly permissions: PermissionChecker;
  /** Counts for rate limits. */
  readonly cache: Cache;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Upstreams may not set it. */
  readonly sessionCookieName: string;
  /** Private CIDR ranges that external upstreams may be in. Default none. */
  readonly upstreamAllow?: readonly string[];
  /** CIDR ranges or addresses that external upstreams may never be at: the platform's own dependencies. */
  readonly upstreamDeny?: readonly string[];
  /** External upstreams may be on this machine. For development. */
  readonly allowLoopback?: boolean;
  /** Resolves upstream names; default the system's resolver. */
  readonly lookup?: LookupFunction;
  readonly onBreakerChange?: (appName: string, state: BreakerState) => void;
  readonly metrics: Metrics;
  /** Records what is sent on to apps. */
  readonly tracer: Tracer;
}

/** The listener has drained before: what is still open then is streams. */
const stopGraceMs = 1_000;

/** The HTTP proxy of installed apps. Starting it loads the routes; stopping it ends WebSockets and closes upstreams. */
export interface AppProxy extends Component {
  /** Takes a request for `/api/apps/…` over: it answers it, also when that is an error. */
  handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): void;
  /** The same for a WebSocket handshake. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, context: RequestContext): void;
  /** Reloads one app after any change of it. Rejects, with everything as it was, when the source cannot be read. */
  refreshApp(name: string): Promise<void>;
  /** Reloads every app, as `refreshApp`. */
  refreshAll(): Promise<void>;
  /** Of an app that is served; undefined for the others. */
  breakerState(appName: string): BreakerState | undefined;
}

/** Throws RangeError for an address range that is none. */
export function createProxy(deps: ProxyDeps): AppProxy {
  const policy = new AddressPolicy({
    allow: deps.upstreamAllow ?? [],
    deny: deps.upstreamDeny ?? [],
    allowLoopback: deps.allowLoopback ?? false,
  });
  const apps = new AppDirectory({
    ...deps,
    upstreams: new UndiciUpstreams(policy, deps.lookup),
    onBreakerChange: (appName, state) => {
      deps.logger.warn({ app: appName, state }, "circuit breaker changed");
      deps.onBreakerChange?.(appName, state);
    },
  });
  const tunnels = new Set<Duplex>();
  const onTunnel = (client: Duplex): void => {
    tunnels.add(client);
    client.once("close", () => tunnels.delete(client));
  };
  const counts = new RequestCounts(deps.metrics);
  const steps = forwardRequestSteps({ ...deps, apps, onTunnel });
  const entrance = new HttpEntrance({ ...deps, steps, onRequest: (record) => counts.add(record) });
  deps.metrics.observe(metricCatalogue.breakerState, () => breakerReadings(apps));
  deps.metrics.observe(metricCatalogue.websocketsOpen, () => [{ labels: { route: "/api/apps/*" }, value: tunnels.size }]);
  return {
    name: "proxy",
    start: () => apps.refreshAll(),
    stop: async () => {
      for (const client of tunnels) client.destroy();
      await apps.close(stopGraceMs);
    },
    handle: (request, response, context) => entrance.handle(request, response, context),
    handleUpgrade: (request, socket, head, context) => entrance.handleUpgrade(request, socket, head, context),
    refreshApp: (name) => apps.refreshApp(name),
    refreshAll: () => apps.refreshAll(),
    breakerState: (appName) => {
      const app = apps.find(appName);
      return app?.isServing ? app.breaker.state : undefined;
    },
  };
}

const stateNumbers: Readonly<Record<BreakerState, number>> = { CLOSED: 0, HALF_OPEN: 1, OPEN: 2 };

function breakerReadings(apps: AppDirectory): readonly { readonly labels: { readonly app: string }; readonly value: number }[] {
  return [...apps.all()].flatMap((app) =>
    app.isServing ? [{ labels: { app: app.name }, value: stateNumbers[app.breaker.state] }] : [],
  );
}
