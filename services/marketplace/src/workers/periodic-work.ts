import { type Component, every } from "@appserver/kernel";
import { applyDeployments } from "../use-cases/apply-deployment.ts";
import type { MarketplaceContext } from "../use-cases/context.ts";
import { adoptEarlierApprovals, adoptEarlierGrants } from "./adopt-earlier-records.ts";
import type { ExternalHealthWatch } from "./external-health-watch.ts";
import { resumeDeletions, resumeOperations } from "./resume-operations.ts";
import { revokeLeftGrants } from "./revoke-left-grants.ts";

/** Interval at which interrupted commands and grants are resumed, external apps probed, and deployments read without an event. */
const intervals = { resumeMs: 2_000, grantsMs: 10_000, probeMs: 1_000, deploymentsMs: 30_000 } as const;

/** What every replica repeats. Locks and leases decide which replica acts on an app. */
export class PeriodicWork implements Component {
  readonly name = "marketplace periodic work";
  readonly #context: MarketplaceContext;
  readonly #health: ExternalHealthWatch;
  readonly #stopped = new AbortController();
  readonly #loops: Promise<void>[] = [];

  constructor(context: MarketplaceContext, health: ExternalHealthWatch) {
    this.#context = context;
    this.#health = health;
  }

  start(): void {
    const context = this.#context;
    this.#loops.push(
      this.#repeat("resume operations", intervals.resumeMs, async () => {
        // First, since a resumed installation grants what is approved.
        await adoptEarlierApprovals(context);
        await resumeOperations(context);
        await resumeDeletions(context);
      }),
      this.#repeat("earlier grants", intervals.grantsMs, () => adoptEarlierGrants(context)),
      this.#repeat("left grants", intervals.grantsMs, () => revokeLeftGrants(context)),
      this.#repeat("external health", intervals.probeMs, () => this.#health.tick()),
      this.#repeat("deployments", intervals.deploymentsMs, () => applyDeployments(context)),
    );
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#loops);
    await this.#health.stop();
  }

  #repeat(loop: string, intervalMs: number, run: () => Promise<unknown>): Promise<void> {
    const { clock, logger } = this.#context;
    const onError = (error: unknown): void => logger.warn({ err: error, loop }, "a periodic task failed; it will run again");
    return every({ clock, signal: this.#stopped.signal, intervalMs, first: "at once", run, onError });
  }
}
