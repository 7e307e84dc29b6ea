import type { Transaction } from "./database.ts";

/** An action to record in the audit log. Never contains secrets or values of settings. */
export interface AuditRecord {
  /** `user:alice`, `machine:<id>`, `app:com.example.notes`, `system`, `anonymous` */
  readonly actor: string;
  /** The program of the language model that acted for the actor, at most 120 characters. Undefined if none did. */
  readonly client?: string;
  /** The action, as `<noun>.<verb>`: `settings.update`. */
  readonly action: string;
  /** The target of the action: `app:com.example.notes`. */
  readonly target: string;
  readonly outcome: "success" | "denied" | "failure";
  /** Further facts, safe to show to readers of the log. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly traceId?: string;
}

/** A stored record. */
export interface AuditEntry extends AuditRecord {
  /** UUIDv7 */
  readonly id: string;
  readonly at: Date;
}

export interface TimedAuditRecord extends AuditRecord {
  readonly at: Date;
}

/** Takes actions that change nothing, and stores them within a second. A call costs little and never throws. */
export interface AuditQueue {
  add(record: AuditRecord): void;
}

/** Each condition must hold. Without any, every entry matches. */
export interface AuditFilter {
  readonly target?: string;
  readonly actor?: string;
  readonly client?: string;
  readonly action?: string;
  readonly outcome?: AuditRecord["outcome"];
  /** From this time on. */
  readonly since?: Date;
  /** Before this time. */
  readonly until?: Date;
}

export interface AuditQuery extends AuditFilter {
  /** Id to continue after. */
  readonly after?: string;
  readonly limit: number;
}

/** Records actions, their actor and their target (docs/interface/operations.md#audit-log). Entries are never changed. */
export interface AuditLog {
  /** Stores the record if and only if the caller's transaction commits. */
  record(tx: Transaction, record: AuditRecord): Promise<void>;
  /** Stores records of the past in one statement. At most 1,000. */
  append(records: readonly TimedAuditRecord[]): Promise<void>;
  /** Returns entries, newest first. */
  read(query: AuditQuery): Promise<readonly AuditEntry[]>;
  /** Returns the first entries of these traces, oldest first. */
  ofTraces(traceIds: readonly string[], limit: number): Promise<readonly AuditEntry[]>;
  /** Counts the entries that match. */
  count(filter: AuditFilter): Promise<number>;
}
