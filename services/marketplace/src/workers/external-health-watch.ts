import type { DeclaredHealthCheck } from "@appserver/contracts/manifest";
import { upstreamUrl } from "@appserver/contracts/patterns";
import { isAppError } from "@appserver/kernel";
import type { Lease, Leases } from "@appserver/kernel/ports";
import type { AppRecord } from "../domain/app.ts";
import { canTransition, isInstalled } from "../domain/app-state.ts";
import type { LiveApp } from "../domain/live-app.ts";
import type { HealthProber } from "../ports.ts";
import type { MarketplaceContext } from "../use-cases/context.ts";
import { describeCurrent } from "../use-cases/describe/describe-release.ts";
import { transition } from "../use-cases/transition.ts";

/** How late a probe may be, on a busy replica, before another replica takes over. */
const lateMs = 30_000;

/**
 * Probe interval of an app that has not been healthy since its installation, instead of its own interval: users wait for it.
 */
const firstHealthMs = 1_000;

/** What a health check has unless the manifest declares it (docs/interface/manifest.md#health-check). */
const defaults = { intervalSeconds: 30, timeoutMs: 5_000, unhealthyThreshold: 3 };

/** An app whose external backend is probed. */
interface ProbedApp {
  readonly app: AppRecord;
  readonly baseUrl: string;
  readonly check: DeclaredHealthCheck;
}

interface Watched {
  readonly appName: string;
  /** The installation that `dueAt` and `failures` belong to. */
  readonly generation: number;
  /** Time of the next probe, on the monotonic clock. */
  dueAt: number;
  failures: number;
  /** The right to probe, held between probes. */
  right: Lease | undefined;
  /** The running visit. An app has at most one at a time. */
  visit: Promise<void> | undefined;
}

/**
 * Probes apps with an external backend (docs/interface/states.md#placement-of-health). One replica at a time probes an app.
 * When that replica dies, another takes over. A backend that does not respond does not delay the probes of other apps.
 */
export class ExternalHealthWatch {
  readonly #watched = new Map<string, Watched>();
  readonly #context: MarketplaceContext;
  readonly #prober: HealthProber;
  readonly #leases: Leases;

  constructor(context: MarketplaceContext, prober: HealthProber, leases: Leases) {
    this.#context = context;
    this.#prober = prober;
    this.#leases = leases;
  }

  /** Starts a probe of every app that is due. Called on a timer. {@link settled} waits for the probes. */
  async tick(): Promise<void> {
    const { apps, clock } = this.#context;
    const probed = apps.all().flatMap((live) => probedApp(live) ?? []);
    const present = new Set(probed.map(({ app }) => app.id));
    for (const [id, watched] of this.#watched) if (!present.has(id)) await this.#forget(id, watched);
    for (const each of probed) {
      const watched = this.#watchedOf(each.app);
      if (watched.visit || watched.dueAt > clock.monotonic()) continue;
      watched.visit = this.#visit(each, watched).finally(() => {
        watched.visit = undefined;
      });
    }
  }

  /** Resolves when the running probes have ended. */
  async settled(): Promise<void> {
    await Promise.all([...this.#watched.values()].flatMap(({ visit }) => visit ?? []));
  }

  /** Waits for the running probes and releases the rights to the other replicas. */
  async stop(): Promise<void> {
    await this.settled();
    await Promise.all([...this.#watched].map(([id, watched]) => this.#forget(id, watched)));
  }

  /** Releases the right. Otherwise a reinstallation would wait until it expires. */
  async #forget(id: string, watched: Watched): Promise<void> {
    this.#watched.delete(id);
    await watched.visit;
    await watched.right?.release().catch((error: unknown) => {
      this.#context.logger.warn(
        { err: error, app: watched.appName },
        "marketplace: releasing the right to probe failed; it expires",
      );
    });
  }

  #watchedOf(app: AppRecord): Watched {
    const known = this.#watched.get(app.id);
    if (known && (known.generation === app.generation || known.visit)) return known;
    const fresh = { dueAt: 0, failures: 0, visit: undefined };
    const watched = { ...fresh, appName: app.name, generation: app.generation, right: known?.right };
    this.#watched.set(app.id, watched);
    return watched;
  }

  async #visit(probed: ProbedApp, watched: Watched): Promise<void> {
    const { clock, logger } = this.#context;
    const { app, baseUrl, check } = probed;
    const { path, intervalSeconds = defaults.intervalSeconds, timeoutMs = defaults.timeoutMs } = check;
    const intervalMs = intervalSeconds * 1_000;
    try {
      watched.dueAt = clock.monotonic() + (app.state === "INSTALLED" ? Math.min(firstHealthMs, intervalMs) : intervalMs);
      if (!(await this.#mayProbe(app, watched, intervalMs))) return;
      const problem = await this.#prober.probe(upstreamUrl(baseUrl, path).href, timeoutMs);
      watched.failures = problem === undefined ? 0 : watched.failures + 1;
      if (problem === undefined && app.state === "RUNNING" && app.health === "HEALTHY") return;
      await this.#apply(probed, watched, problem);
    } catch (error) {
      // CONFLICT: a command changed the app concurrently. The next probe sees the result.
      if (!isAppError(error, "CONFLICT"))
        logger.warn({ err: error, app: app.name }, "marketplace: probing an external backend failed");
    }
  }

  async #mayProbe(app: AppRecord, watched: Watched, intervalMs: number): Promise<boolean> {
    if (await watched.right?.renew()) return true;
    watched.failures = 0;
    watched.right = await this.#leases.acquire(`marketplace-probe:${app.name}`, intervalMs + lateMs);
    return watched.right !== undefined;
  }

  async #apply({ app: { name }, check }: ProbedApp, watched: Watched, problem: string | undefined): Promise<void> {
    const app = await this.#context.store.findByName(name);
    const { unhealthyThreshold = defaults.unhealthyThreshold } = check;
    if (!app?.enabled || app.generation !== watched.generation) return;
    if (problem === undefined) {
      await this.#becomeHealthy(app);
    } else if (app.state === "INSTALLED") {
      await this.#recordProblem(app, problem);
    } else if (watched.failures >= unhealthyThreshold && canTransition(app.state, "unhealthy")) {
      const message = `${watched.failures} health checks failed in a row; the last one: ${problem}`;
      const lastError = { code: "UPSTREAM_ERROR", message };
      await transition(this.#context, app, "unhealthy", { reason: message, fields: { health: "UNHEALTHY", lastError } });
    }
  }

  async #becomeHealthy(app: AppRecord): Promise<void> {
    const { store, clock } = this.#context;
    const fields = { health: "HEALTHY", lastError: undefined } as const;
    if (canTransition(app.state, "healthy")) {
      await describeCurrent(this.#context, app);
      await transition(this.#context, app, "healthy", { reason: "health check passed", fields });
    } else if (app.state === "RUNNING" && app.health !== "HEALTHY") {
      // It was disabled, and kept its state.
      const next: AppRecord = { ...app, ...fields, updatedAt: new Date(clock.now()) };
      await store.save({ app: next, expectedRowVersion: app.rowVersion, events: [] });
    }
  }

  /** Stores the problem on an app that was never healthy. The app stays INSTALLED. */
  async #recordProblem(app: AppRecord, message: string): Promise<void> {
    if (app.lastError?.message === message) return;
    const { store, clock } = this.#context;
    const lastError = { code: "UPSTREAM_ERROR", message };
    const next: AppRecord = { ...app, health: "UNHEALTHY", lastError, updatedAt: new Date(clock.now()) };
    await store.save({ app: next, expectedRowVersion: app.rowVersion, events: [] });
  }
}

/** Returns what to probe. Undefined for an app with a container: its state follows its container. */
function probedApp({ app, api, placement }: LiveApp): ProbedApp | undefined {
  if (!app.enabled || !isInstalled(app.state)) return undefined;
  if (placement.api !== "external" || placement.needsContainer || !api?.healthCheck) return undefined;
  return { app, baseUrl: api.upstreamBaseUrl, check: api.healthCheck };
}
