import type { KeyObject } from "node:crypto";
import type { MissingForwardKey } from "@appserver/contracts/forwarding";
import type { Unavailability } from "@appserver/contracts/manifest";
import type { Clock, Logger } from "@appserver/kernel";
import { type BreakerChange, CircuitBreaker } from "../domain/circuit-breaker.ts";
import { compileApp, type ProxyRules } from "../domain/compiled-app.ts";
import type { ProxiedApp, UpstreamAddress } from "../domain/proxied-app.ts";
import type {
  CircuitApp,
  ProxiedApps,
  RoutedApp,
  ServedApps,
  ServingApp,
  UnavailableApp,
  Upstream,
  Upstreams,
} from "../ports.ts";
import { CountedUpstream } from "./counted-upstream.ts";
import { type DrainState, RetiredUpstreams } from "./retired-upstreams.ts";

export interface AppDirectoryDeps extends ProxyRules {
  readonly installed: Pick<ProxiedApps, "all" | "get">;
  readonly upstreams: Upstreams;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called when the breaker of an app that is served changed. */
  readonly onBreakerChange: (app: CircuitApp, change: BreakerChange) => void;
  /** Called when requests no longer need to wait for the app. */
  readonly onReleased: (appName: string) => void;
  /** Called when the app is no longer installed. */
  readonly onRemoved: (appName: string) => void;
  /** Called when another generation of an app is routed to, and when the last request with an earlier upstream has ended. */
  readonly onDrainChange: (appName: string) => void;
}

interface DirectoryApp extends ServingApp {
  readonly upstream: CountedUpstream;
}

type DirectoryEntry = DirectoryApp | UnavailableApp;

const defaultRetryAfterSeconds = 5;

/** What happens to requests that this server cannot sign. */
const unsigned: Readonly<Record<MissingForwardKey, Unavailability>> = {
  awaited: { unavailable: "starting", isBuffered: true },
  unreadable: { unavailable: "secret_unreadable", retryAfterSeconds: 60 },
};

/** The installed apps by name, compiled once per change. */
export class AppDirectory implements ServedApps {
  readonly #deps: AppDirectoryDeps;
  readonly #retired: RetiredUpstreams;
  #apps = new Map<string, DirectoryEntry>();
  #isLoaded = false;

  constructor(deps: AppDirectoryDeps) {
    this.#deps = deps;
    this.#retired = new RetiredUpstreams(deps);
  }

  find(name: string): RoutedApp | undefined {
    return this.#apps.get(name);
  }

  /** Returns every app, including apps that cannot be served. */
  all(): Iterable<RoutedApp> {
    return this.#apps.values();
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Returns what runs on earlier generations of an app. Undefined for an app that is not installed or has no API. */
  drainState(name: string): DrainState | undefined {
    const app = this.#apps.get(name);
    if (!app) return undefined;
    const { generation } = app;
    const isAsleep = app.isServing && app.isAsleep;
    const exchanges = isAsleep ? this.#retired.requests(name) : this.#retired.requestsBefore(name, generation);
    return { generation, exchanges, isAsleep };
  }

  /** Returns the names of the apps that requests use now, or have used since the last call. */
  takeUsed(): readonly string[] {
    const isUsed = (app: DirectoryEntry): boolean => app.isServing && app.upstream.takeUse();
    return [...this.#apps.values()]
      .filter((app) => isUsed(app) || this.#retired.requests(app.name) > 0)
      .map(({ name }) => name);
  }

  /** Loads every app. */
  refreshAll(): void {
    const next = new Map(this.#deps.installed.all().map((app) => [app.name, this.#bring(app)]));
    const previous = this.#apps;
    this.#apps = next;
    this.#isLoaded = true;
    for (const app of previous.values()) this.#retire(app, next.get(app.name));
    for (const app of next.values()) this.#announce(previous.get(app.name), app);
  }

  /** Loads one app again after a change. Before {@link refreshAll} it does nothing. */
  refreshApp(name: string): void {
    if (!this.#isLoaded) return;
    const installed = this.#deps.installed.get(name);
    const previous = this.#apps.get(name);
    const next = installed && this.#bring(installed);
    if (next) this.#apps.set(name, next);
    else this.#apps.delete(name);
    if (previous) this.#retire(previous, next);
    if (next) this.#announce(previous, next);
  }

  /** Removes all apps and closes their connections after a grace period for running requests. */
  async close(graceMs: number): Promise<void> {
    const names = [...this.#apps.keys()];
    const open = [...this.#apps.values()].flatMap((app) => (app.isServing ? [app.upstream] : []));
    this.#apps = new Map();
    this.#isLoaded = false;
    for (const name of names) this.#deps.onReleased(name);
    await Promise.all([this.#retired.close(graceMs), ...open.map((upstream) => upstream.close(graceMs))]);
  }

  #bring(app: ProxiedApp): DirectoryEntry {
    const { upstream, forwardKey } = app;
    if ("unavailable" in upstream && upstream.isAsleep !== true) return unavailableApp(app, upstream);
    if (typeof forwardKey === "string") return unavailableApp(app, unsigned[forwardKey]);
    try {
      return this.#serve(app, upstream, forwardKey);
    } catch (error) {
      // One app that registration should have refused must not stop the others from being served.
      this.#deps.logger.error({ err: error, app: app.name }, "proxy: the routes of an app are invalid");
      return unavailableApp(app, { unavailable: "misconfigured", retryAfterSeconds: 60 });
    }
  }

  #serve(app: ProxiedApp, address: UpstreamAddress | Unavailability, forwardKey: KeyObject | undefined): DirectoryApp {
    const isAsleep = "unavailable" in address;
    const upstreamKey = isAsleep ? `asleep ${app.generation}` : upstreamKeyOf(address, app.generation);
    const previous = this.#apps.get(app.name);
    const known = previous?.isServing ? previous : undefined;
    const { manifestDigest, generation } = app;
    const compiled = known && isSameManifest(known, app) ? known.compiled : compileApp(app, this.#deps);
    // Connections and the breaker's history belong to the upstream, not to the version.
    if (known?.upstreamKey === upstreamKey && (isAsleep || !mayBeReplaced(address, known))) {
      if (!isAsleep && address.addresses) known.upstream.follow(address.addresses);
      return { ...known, compiled, manifestDigest, generation, forwardKey };
    }
    const breaker: CircuitBreaker =
      known?.generation === generation && isSameContainer(known, upstreamKey, isAsleep)
        ? known.breaker
        : new CircuitBreaker((change) => this.#breakerChanged(app.name, breaker, change));
    return {
      isServing: true,
      name: app.name,
      generation,
      compiled,
      manifestDigest,
      upstreamKey,
      forwardKey,
      isAsleep,
      upstream: new CountedUpstream(isAsleep ? asleepUpstream : this.#deps.upstreams.open(address)),
      breaker,
    };
  }

  #breakerChanged(name: string, breaker: CircuitBreaker, change: BreakerChange): void {
    const app = this.#apps.get(name);
    // The breaker of an earlier upstream, to which requests may still run, decides about no new request.
    if (app?.isServing && app.breaker === breaker) this.#deps.onBreakerChange(app.compiled, change);
  }

  #retire(previous: DirectoryEntry, next: DirectoryEntry | undefined): void {
    if (!next) {
      this.#deps.onRemoved(previous.name);
      this.#deps.onReleased(previous.name);
    }
    if (!previous.isServing || (next?.isServing && next.upstream === previous.upstream)) return;
    this.#retired.add(previous.name, previous.generation, previous.upstream);
  }

  #announce(previous: DirectoryEntry | undefined, next: DirectoryEntry): void {
    const wasAsleep = previous !== undefined && isAsleep(previous);
    if (next.isServing ? !(next.isAsleep && wasAsleep) : !next.isBuffered) this.#deps.onReleased(next.name);
    if (previous?.generation !== next.generation || wasAsleep !== isAsleep(next)) this.#deps.onDrainChange(next.name);
  }
}

function isAsleep(app: RoutedApp): boolean {
  return app.isServing && app.isAsleep;
}

/**
 * Returns whether an app falls asleep or wakes up, or its requests begin or cease to be spread over its instances: then its failures
 * still count.
 */
function isSameContainer(known: ServingApp, upstreamKey: string, isAsleep: boolean): boolean {
  const isEither = (one: string, other: string): boolean => one === `${other}${spreadSuffix}`;
  return known.isAsleep !== isAsleep || isEither(known.upstreamKey, upstreamKey) || isEither(upstreamKey, known.upstreamKey);
}

/** Of the keys of upstreams with several addresses. */
const spreadSuffix = " spread";

/** Of apps that are asleep. Requests wait before they use it. */
const asleepUpstream: Upstream = {
  host: "",
  target: (path) => path,
  send: (_, receiver) => receiver.onError({ kind: "unsent", cause: new Error("the app is asleep") }),
  close: async () => {},
};

function unavailableApp(
  { name, generation }: ProxiedApp,
  { unavailable: reason, retryAfterSeconds = defaultRetryAfterSeconds, isBuffered = false }: Unavailability,
): UnavailableApp {
  return { isServing: false, name, generation, reason, retryAfterSeconds, isBuffered };
}

/**
 * A new container may have the address of an earlier one, but must not get its connections. Its instances come and go, while the upstream
 * stays.
 */
function upstreamKeyOf({ url, managed, addresses }: UpstreamAddress, generation: number): string {
  return managed ? `managed ${url} ${generation}${addresses ? spreadSuffix : ""}` : `external ${url}`;
}

/**
 * Returns whether the upstream may be another container at the same address: its requests failed, and the app has changed since.
 * The state between two containers is not always seen, because only the newest state of an app is read.
 */
function mayBeReplaced({ managed, addresses }: UpstreamAddress, { breaker }: ServingApp): boolean {
  // The addresses of instances are followed.
  return managed && addresses === undefined && breaker.state !== "CLOSED";
}

function isSameManifest({ compiled, manifestDigest }: ServingApp, app: ProxiedApp): boolean {
  return manifestDigest !== undefined && manifestDigest === app.manifestDigest && compiled.id === app.id;
}
