/** PostgreSQL everywhere: one SQL dialect. Placeholders are `$1`. Values are never interpolated into text. */
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

/** An open transaction. It commits when the work that received it resolves and rolls back when the work rejects. */
export interface Transaction extends SqlExecutor {
  readonly isTransaction: true;
}

export interface Database extends SqlExecutor {
  /**
   * Runs `work` READ COMMITTED unless `options` says otherwise. Never retries: only the caller can decide if its work may run
   * twice.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Calls `onNotification` for every NOTIFY on the channel, and `onReconnect` whenever the listening connection was reopened
   * (notifications may have been missed in between). Resolves once listening.
   */
  listen(channel: string, onNotification: (payload: string) => void, onReconnect?: () => void): Promise<ChannelSubscription>;
  /** Applies the missing migrations in order, each in its own transaction, under a lock that other processes wait for. */
  migrate(migrations: readonly Migration[]): Promise<readonly string[]>;
  /** Rejects if the server does not respond within `timeoutMs`. */
  ping(timeoutMs?: number): Promise<void>;
}

export interface TransactionOptions {
  readonly isolation?: "read committed" | "repeatable read" | "serializable";
}

export interface Subscription {
  close(): Promise<void>;
}

export interface ChannelSubscription extends Subscription {
  /**
   * Returns whether all notifications were heard that were sent until a second ago. If not, they may still come, or be lost until
   * the reconnection. The connection is checked from the first call on, whose answer is no, until a minute after the last one.
   */
  hears(): boolean;
}

/** One step of a schema. `name` is `<service>/<four digits>-<words>`, unique, and never changes once released. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** What a database server can run out of: its disk, its table of locks, its notification queue, its connections. */
export type ExhaustedResource = "disk" | "locks" | "notifications" | "connections";

/** An error of the database. Callers decide by `reason`; the driver's own error is the cause. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly reason: "unavailable" | "unique_violation" | "foreign_key_violation" | "serialization_failure" | "timeout" | "other";
  /** Name of the violated constraint, if any. */
  readonly constraint: string | undefined;
  /** What the server is out of, if that is why it is unavailable. Its other work may continue. */
  readonly exhausted: ExhaustedResource | undefined;

  constructor(
    reason: DatabaseError["reason"],
    message: string,
    options: { cause?: unknown; constraint?: string | undefined; exhausted?: ExhaustedResource | undefined } = {},
  ) {
    super(message, { cause: options.cause });
    this.reason = reason;
    this.constraint = options.constraint;
    this.exhausted = options.exhausted;
  }
}
