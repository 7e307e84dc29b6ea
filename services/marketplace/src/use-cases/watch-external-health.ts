import { isAppError } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { canTransition } from "../domain/app-state.ts";
import { placementOf } from "../domain/placement.ts";
import { type HealthProbe, proxiedApi } from "../domain/proxied-api.ts";
import type { HealthProber, ProbeRight, ProbeRights } from "../ports.ts";
import { type MarketplaceContext, transition } from "./context.ts";

/** How late a probe may be, on a busy replica, before another takes over. */
const lateMs = 30_000;

interface Watched {
  dueAt: number;
  failures: number;
  /** The right to probe, kept from one probe to the next. */
  right: ProbeRight | undefined;
}

/**
 * Probes apps whose backend somebody else runs (design/behaviour "What runs where"). One replica at a time probes an app;
 * when it dies, another takes over.
 */
export class ExternalHealthWatch {
  readonly #watched = new Map<string, Watched>();
  readonly #context: MarketplaceContext;
  readonly #prober: HealthProber;
  readonly #rights: ProbeRights;

  constructor(context: MarketplaceContext, prober: HealthProber, rights: ProbeRights) {
    this.#context = context;
    this.#prober = prober;
    this.#rights = rights;
  }

  /** Probes every app that is due. Called on a timer. */
  async tick(): Promise<void> {
    const { store, clock } = this.#context;
    const apps = await store.inStates(["INSTALLED", "RUNNING", "UNHEALTHY"]);
    const present = new Set(apps.map((app) => app.id));
    for (const id of this.#watched.keys()) if (!present.has(id)) this.#watched.delete(id);
    const due = apps.filter((app) => (this.#watched.get(app.id)?.dueAt ?? 0) <= clock.monotonic());
    await Promise.all(due.map((app) => this.#visit(app)));
  }

  /** Hands the probing over to the other replicas. */
  async stop(): Promise<void> {
    const rights = [...this.#watched.values()].flatMap(({ right }) => right ?? []);
    this.#watched.clear();
    // Unreleased they expire by themselves.
    await Promise.allSettled(rights.map((right) => right.release()));
  }

  async #visit(app: AppRecord): Promise<void> {
    const { store, clock, logger } = this.#context;
    const manifest = await store.manifest(app.id, app.version);
    const api = manifest?.webApp?.api;
    const probe = manifest && api && placementOf(manifest) === "external" ? proxiedApi(app.name, api).healthCheck : undefined;
    const watched = this.#watched.get(app.id) ?? { dueAt: 0, failures: 0, right: undefined };
    this.#watched.set(app.id, watched);
    const intervalMs = (probe?.intervalSeconds ?? 30) * 1000;
    watched.dueAt = clock.monotonic() + intervalMs;
    if (!probe || !api || !(await this.#mayProbe(app, watched, intervalMs))) return;
    const url = new URL(probe.path.replace(/^\//, ""), withSlash(api.upstreamBaseUrl)).href;
    const healthy = await this.#prober.probe(url, probe.timeoutMs);
    watched.failures = healthy ? 0 : watched.failures + 1;
    try {
      await this.#apply(app.name, probe, watched, healthy);
    } catch (error) {
      // CONFLICT: a command changed the app meanwhile; the next probe sees what it made of it.
      if (!isAppError(error, "CONFLICT"))
        logger.warn({ err: error, app: app.name }, "the result of a health probe could not be stored");
    }
  }

  async #mayProbe(app: AppRecord, watched: Watched, intervalMs: number): Promise<boolean> {
    if (await watched.right?.renew()) return true;
    watched.failures = 0;
    watched.right = await this.#rights.acquire(app.name, intervalMs + lateMs);
    return watched.right !== undefined;
  }

  async #apply(name: string, probe: HealthProbe, watched: Watched, healthy: boolean): Promise<void> {
    const app = await this.#context.store.findByName(name);
    if (!app) return;
    if (healthy && canTransition(app.state, "healthy")) {
      await transition(this.#context, app, "healthy", {
        reason: "health check passed",
        fields: { health: "HEALTHY", lastError: undefined },
      });
    } else if (!healthy && watched.failures >= probe.unhealthyThreshold && canTransition(app.state, "unhealthy")) {
      const message = `${watched.failures} health checks failed in a row`;
      const lastError = { code: "UPSTREAM_ERROR", message };
      await transition(this.#context, app, "unhealthy", { reason: message, fields: { health: "UNHEALTHY", lastError } });
    }
  }
}

function withSlash(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}
