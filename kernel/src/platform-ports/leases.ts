/** Exclusive right to act on `name` for a while, cluster-wide, decided by the database. */
export interface Leases {
  /** Takes the lease when it is free or expired; undefined when another holds it. `holder` names who, for the log. */
  acquire(name: string, ttlMs: number): Promise<Lease | undefined>;
}

export interface Lease {
  readonly name: string;
  /** Grows with every acquisition of the name: writes carry it, so that one who lost the lease cannot overwrite. */
  readonly fence: number;
  /** Extends by the original ttl; false when the lease was lost. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
}
