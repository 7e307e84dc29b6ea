import type { StoredDatabase } from "@appserver/contracts/deployments";
import { type Clock, holdLease, type PeriodicTask } from "@appserver/kernel";
import type { AppDatabases, DatabaseRecords, DeploymentStore, Leases } from "../ports.ts";

export interface DatabaseMeterDeps {
  readonly databases: Pick<AppDatabases, "limitSizes" | "nameOf">;
  readonly databaseRecords: Pick<DatabaseRecords, "replace" | "all">;
  readonly deployments: Pick<DeploymentStore, "withRole">;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly options: { readonly databaseSizeIntervalMs: number };
  /** Whether this orchestrator owns the app's lease. */
  readonly owns: (appName: string) => boolean;
}

/** Not the form of the lease of an app. */
const leaseName = "orchestration-database-sizes";
const leaseTtlMs = 30_000;

/** Has the size limit of the databases of apps applied, and stores their sizes (docs/interface/containers.md#size-of-a-database). */
export class DatabaseMeter {
  readonly #deps: DatabaseMeterDeps;
  #stored: readonly StoredDatabase[] = [];

  constructor(deps: DatabaseMeterDeps) {
    this.#deps = deps;
  }

  /** Returns the repeated measurement. */
  task(): PeriodicTask {
    return { name: "database sizes", intervalMs: this.#deps.options.databaseSizeIntervalMs, run: () => this.measure() };
  }

  /** One orchestrator measures all databases, unless another one did so within half an interval. */
  async measure(): Promise<void> {
    const { leases, clock, databaseRecords } = this.#deps;
    await holdLease(leases, leaseName, leaseTtlMs, clock, ({ signal }) => this.#measureUnlessRecent(signal));
    this.#stored = await databaseRecords.all();
  }

  /** Returns the databases of the apps whose leases this orchestrator holds. */
  sizes(): readonly StoredDatabase[] {
    return this.#stored.filter(({ appName }) => this.#deps.owns(appName));
  }

  async #measureUnlessRecent(signal: AbortSignal): Promise<void> {
    const { clock, databases, databaseRecords, deployments, options } = this.#deps;
    const oldest = clock.now() - options.databaseSizeIntervalMs / 2;
    if ((await databaseRecords.all()).some(({ measuredAt }) => measuredAt.getTime() > oldest)) return;
    const sizes = new Map((await databases.limitSizes()).map(({ name, ...size }) => [name, size]));
    const current = (await deployments.withRole()).filter(({ role }) => role === "current");
    const found = current.flatMap(({ appId, appName }) => {
      const size = sizes.get(databases.nameOf({ appId, appName }));
      return size ? [{ appId, appName, ...size }] : [];
    });
    signal.throwIfAborted();
    await databaseRecords.replace(found, new Date(clock.now()));
  }
}
