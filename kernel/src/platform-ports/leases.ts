/** The exclusive right to act on `name` for a limited time, cluster-wide, decided by the database. */
export interface Leases {
  /**
   * Takes the lease if it is free or expired. Returns undefined if another process holds it. `holder` names the holder in the
   * log.
   */
  acquire(name: string, ttlMs: number): Promise<Lease | undefined>;
}

export interface Lease {
  readonly name: string;
  /** Grows with every acquisition of the name. Writes carry it, so that a process that lost the lease cannot overwrite. */
  readonly fence: number;
  /** Extends the lease by the original ttl. Returns false if the lease was lost. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
}
