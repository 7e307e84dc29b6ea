import type { Leases } from "@appserver/kernel/ports";
import type { ProbeRight, ProbeRights } from "../ports.ts";

/** Implements the right to probe an app as a lease in the database. Another replica can acquire it when its holder dies. */
export class LeaseProbeRights implements ProbeRights {
  readonly #leases: Leases;

  constructor(leases: Leases) {
    this.#leases = leases;
  }

  acquire(appName: string, ttlMs: number): Promise<ProbeRight | undefined> {
    return this.#leases.acquire(`marketplace-probe:${appName}`, ttlMs);
  }
}
