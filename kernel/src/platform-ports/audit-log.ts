import type { Transaction } from "./database.ts";

/** Somebody did something that must be accounted for. Never holds secrets, nor the values of settings. */
export interface AuditRecord {
  /** `user:alice`, `app:com.example.notes`, `system`, `anonymous` */
  readonly actor: string;
  /** `settings.update`: what was done, as `<noun>.<verb>`. */
  readonly action: string;
  /** What it was done to: `app:com.example.notes`. */
  readonly target: string;
  readonly outcome: "success" | "denied" | "failure";
  /** Further facts, safe to show to whoever may read the log. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly traceId?: string;
}

/** A record as it was written. */
export interface AuditEntry extends AuditRecord {
  /** UUIDv7 */
  readonly id: string;
  readonly at: Date;
}

export interface AuditQuery {
  readonly target?: string;
  /** Id to go on after. */
  readonly after?: string;
  readonly limit: number;
}

/** Records actions, their actor and their target (docs/interface/operations.md#audit-log). Entries are never changed. */
export interface AuditLog {
  /** Stored only if, and surely if, the caller's transaction commits. */
  record(tx: Transaction, record: AuditRecord): Promise<void>;
  /** Newest first. */
  read(query: AuditQuery): Promise<readonly AuditEntry[]>;
  /** Of one target, or of all. */
  count(query: Pick<AuditQuery, "target">): Promise<number>;
}
