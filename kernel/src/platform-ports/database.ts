/** PostgreSQL, everywhere: one SQL dialect. Placeholders are `$1`. Values are never interpolated into text. */
export interface SqlExecutor {
  /**
   * Runs one statement. `bigint` columns arrive as numbers (exact up to 2^53), `bytea` as Buffer, `timestamptz` as
   * Date, `jsonb` parsed. Throws {@link DatabaseError}.
   */
  query<Row extends object = Record<string, unknown>>(text: string, parameters?: readonly unknown[]): Promise<SqlResult<Row>>;
}

export interface SqlResult<Row> {
  readonly rows: readonly Row[];
  /** Rows returned or changed. */
  readonly count: number;
}

/** An open transaction. It commits when the work that received it resolves and rolls back when it rejects. */
export interface Transaction extends SqlExecutor {
  readonly isTransaction: true;
}

export interface Database extends SqlExecutor {
  /** READ COMMITTED unless told; never retried here: the caller knows whether its work may run twice. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Calls `onNotification` for every NOTIFY on the channel, and `onReconnect` whenever the listening connection had to
   * be opened again (notifications may have been missed in between). Resolves once listening.
   */
  listen(channel: string, onNotification: (payload: string) => void, onReconnect?: () => void): Promise<Subscription>;
  /** Applies what is missing, in order, each in its own transaction, under a lock that other processes wait for. */
  migrate(migrations: readonly Migration[]): Promise<readonly string[]>;
  /** Rejects within `timeoutMs` when the server does not answer. */
  ping(timeoutMs?: number): Promise<void>;
}

export interface TransactionOptions {
  readonly isolation?: "read committed" | "repeatable read" | "serializable";
}

export interface Subscription {
  close(): Promise<void>;
}

/** One step of a schema. `name` is `<service>/<four digits>-<words>`, unique, and never changes once released. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** `reason` tells callers apart what they may act on; the driver's own error is the cause. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly reason: "unavailable" | "unique_violation" | "foreign_key_violation" | "serialization_failure" | "timeout" | "other";
  /** Name of the violated constraint, where there is one. */
  readonly constraint: string | undefined;

  constructor(
    reason: DatabaseError["reason"],
    message: string,
    options: { cause?: unknown; constraint?: string | undefined } = {},
  ) {
    super(message, { cause: options.cause });
    this.reason = reason;
    this.constraint = options.constraint;
  }
}
