import type { Clock, Logger } from "@appserver/kernel";
import { type BreakerState, CircuitBreaker } from "../domain/circuit-breaker.ts";
import { compileApp, type SessionRules } from "../domain/compiled-app.ts";
import type { ProxiedApp } from "../domain/proxied-app.ts";
import type { LiveApp, ProxiedApps, ServedApps, ServingApp, Upstreams } from "../ports.ts";

export interface AppDirectoryDeps extends SessionRules {
  readonly installed: ProxiedApps;
  readonly upstreams: Upstreams;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onBreakerChange: (appName: string, state: BreakerState) => void;
  /** Called when the app is no longer installed. */
  readonly onRemoved: (appName: string) => void;
}

const defaultRetryAfterSeconds = 5;

/** The installed apps by name, compiled once per change. */
export class AppDirectory implements ServedApps {
  readonly #deps: AppDirectoryDeps;
  #apps = new Map<string, LiveApp>();
  #isLoaded = false;

  constructor(deps: AppDirectoryDeps) {
    this.#deps = deps;
  }

  find(name: string): LiveApp | undefined {
    return this.#apps.get(name);
  }

  /** Returns every app, including apps that cannot be served. */
  all(): Iterable<LiveApp> {
    return this.#apps.values();
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Loads every app. */
  refreshAll(): void {
    const next = new Map(this.#deps.installed.all().map((app) => [app.name, this.#bring(app)]));
    const previous = this.#apps;
    this.#apps = next;
    this.#isLoaded = true;
    for (const app of previous.values()) this.#retire(app, next.get(app.name));
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
  }

  /** Removes all apps and closes their connections after a grace period for running requests. */
  async close(graceMs: number): Promise<void> {
    const open = [...this.#apps.values()];
    this.#apps = new Map();
    await Promise.all(open.map(async (app) => app.isServing && app.upstream.close(graceMs)));
  }

  #bring(app: ProxiedApp): LiveApp {
    if (app.availability !== "serving") {
      const { unavailable, retryAfterSeconds = defaultRetryAfterSeconds } = app.availability;
      return { isServing: false, name: app.name, reason: unavailable, retryAfterSeconds };
    }
    try {
      return this.#serve(app);
    } catch (error) {
      // One app that registration should have refused must not stop the others from being served.
      this.#deps.logger.error({ err: error, app: app.name }, "proxy: the routes of an app are invalid");
      return { isServing: false, name: app.name, reason: "misconfigured", retryAfterSeconds: 60 };
    }
  }

  #serve(app: ProxiedApp): ServingApp {
    const upstreamKey = `${app.upstream.managed ? "managed" : "external"} ${app.upstream.url}`;
    const previous = this.#apps.get(app.name);
    const known = previous?.isServing ? previous : undefined;
    const { manifestDigest } = app;
    const compiled = known && isSameManifest(known, app) ? known.compiled : compileApp(app, this.#deps);
    // Connections and the breaker's history belong to the upstream, not to the version.
    if (known?.upstreamKey === upstreamKey) return { ...known, compiled, manifestDigest };
    return {
      isServing: true,
      name: app.name,
      compiled,
      manifestDigest,
      upstreamKey,
      upstream: this.#deps.upstreams.open(app.upstream),
      breaker: new CircuitBreaker((state) => this.#deps.onBreakerChange(app.name, state)),
    };
  }

  #retire(previous: LiveApp, next: LiveApp | undefined): void {
    if (!next) this.#deps.onRemoved(previous.name);
    if (!previous.isServing || (next?.isServing && next.upstream === previous.upstream)) return;
    previous.upstream.close().catch((error: unknown) => {
      this.#deps.logger.warn({ err: error, app: previous.name }, "proxy: could not close an upstream");
    });
  }
}

function isSameManifest({ compiled, manifestDigest }: ServingApp, app: ProxiedApp): boolean {
  return manifestDigest !== undefined && manifestDigest === app.manifestDigest && compiled.id === app.id;
}
