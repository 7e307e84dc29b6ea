import { AppError, isAppError } from "./app-error.ts";
import { type Caller, subjectOf } from "./caller.ts";
import type { Clock } from "./clock.ts";
import { every } from "./concurrency/every.ts";
import type { Component } from "./lifecycle.ts";
import type { Logger } from "./logger.ts";
import type { MaybePromise } from "./maybe-promise.ts";

/** A connection or stream that may outlive the session, permission, app or key with which it was opened. */
export interface LiveConnection {
  readonly caller: Caller;
  /** Name of the app at the other end of a proxied connection. */
  readonly app?: string;
  /** Whether it is a WebSocket with operations of its own. Those of users do not count as streams: a page opens one for all that it shows. */
  readonly isSocket?: boolean;
  /** Throws or rejects if the connection would be refused now. Ends the parts of it that are no longer allowed. */
  check(): MaybePromise<void>;
  /** Ends the connection. Called at most once. */
  end(reason: AppError): void;
}

export interface LiveConnectionsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Every connection is checked again after this time, plus one tick: within a minute. */
const checkAfterMs = 45_000;
const tickMs = 5_000;
/** A connection that could not be checked for this long ends: as long as a cached permission lives. */
const unconfirmedMs = 300_000;
/** Prevents that one event about every caller sends all checks to the identity service at once. */
const concurrentChecks = 32;

/** Streams that one app, user or service account may have open to the platform itself in one process (docs/interface/limits.md#streams). */
const streamsOfOneCaller = 100;

/** Errors that are a decision. All others mean that the check itself failed. */
const refusals: ReadonlySet<string> = new Set([
  "AUTHENTICATION_REQUIRED",
  "AUTHENTICATION_FAILED",
  "PERMISSION_DENIED",
  "NOT_FOUND",
]);

interface Entry {
  readonly connection: LiveConnection;
  /** By the monotonic clock. */
  dueAt: number;
  confirmedAt: number;
  isChecking: boolean;
  /** A change occurred during a check, which may have read the earlier state. */
  isStale: boolean;
}

/**
 * All long connections of this process: WebSockets, event streams, gRPC streams. Each is checked again within a minute, and at
 * once when an event reports that its caller may have lost a permission or a session.
 */
export class LiveConnections implements Component {
  readonly name = "live connections";
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #stopped = new AbortController();
  readonly #entries = new Set<Entry>();
  readonly #queue = new Set<Entry>();
  /** By the subject of the caller. Those to apps do not count. */
  readonly #streams = new Map<string, number>();
  #checking = 0;

  constructor({ clock, logger }: LiveConnectionsOptions) {
    this.#clock = clock;
    this.#logger = logger;
  }

  start(): void {
    void every({
      clock: this.#clock,
      signal: this.#stopped.signal,
      intervalMs: tickMs,
      first: "after a pause",
      run: () => this.#checkDue(),
      onError: (error) => this.#logger.warn({ err: error }, "live connections: a check failed"),
    });
  }

  stop(): void {
    this.#stopped.abort();
    this.#entries.clear();
    this.#streams.clear();
    this.#queue.clear();
  }

  /**
   * Checks the connection from now on, until the returned function is called. Throws RATE_LIMIT_EXCEEDED if the caller is an app, a user or
   * a service account that has too many streams open.
   */
  join(connection: LiveConnection): () => void {
    const subject = streaming(connection);
    if (subject !== undefined) this.#admit(subject);
    const now = this.#clock.monotonic();
    const entry: Entry = { connection, dueAt: now + checkAfterMs, confirmedAt: now, isChecking: false, isStale: false };
    this.#entries.add(entry);
    return () => this.#leave(entry);
  }

  /** Checks now the connections that `concerns` selects. */
  recheck(concerns: (connection: LiveConnection) => boolean): void {
    for (const entry of this.#entries) if (concerns(entry.connection)) this.#enqueue(entry);
  }

  #admit(subject: string): void {
    const count = this.#streams.get(subject) ?? 0;
    if (count >= streamsOfOneCaller) {
      const message = `${subject} has ${streamsOfOneCaller} streams open in this process already; close one of them`;
      throw new AppError("RATE_LIMIT_EXCEEDED", message, { details: { limit: streamsOfOneCaller, retry_after: 1 } });
    }
    this.#streams.set(subject, count + 1);
  }

  #checkDue(): void {
    const now = this.#clock.monotonic();
    for (const entry of this.#entries) if (entry.dueAt <= now) this.#enqueue(entry);
  }

  #enqueue(entry: Entry): void {
    if (entry.isChecking) entry.isStale = true;
    else this.#queue.add(entry);
    this.#next();
  }

  #next(): void {
    for (const entry of this.#queue) {
      if (this.#checking >= concurrentChecks) return;
      this.#queue.delete(entry);
      void this.#check(entry);
    }
  }

  async #check(entry: Entry): Promise<void> {
    this.#checking += 1;
    entry.isChecking = true;
    const startedAt = this.#clock.monotonic();
    try {
      await entry.connection.check();
      entry.confirmedAt = startedAt;
    } catch (error) {
      this.#failed(entry, error);
    }
    entry.isChecking = false;
    entry.dueAt = startedAt + checkAfterMs;
    this.#checking -= 1;
    if (entry.isStale && this.#entries.has(entry)) {
      entry.isStale = false;
      this.#queue.add(entry);
    }
    this.#next();
  }

  #failed(entry: Entry, error: unknown): void {
    if (isAppError(error) && refusals.has(error.code)) {
      this.#end(entry, error);
      return;
    }
    this.#logger.warn({ err: error }, "live connections: a check failed");
    if (this.#clock.monotonic() - entry.confirmedAt < unconfirmedMs) return;
    this.#end(entry, new AppError("SERVICE_UNAVAILABLE", "the caller could not be checked for five minutes"));
  }

  #end(entry: Entry, reason: AppError): void {
    if (!this.#entries.has(entry)) return;
    this.#leave(entry);
    try {
      entry.connection.end(reason);
    } catch (error) {
      this.#logger.error({ err: error }, "live connections: a connection could not be ended");
    }
  }

  #leave(entry: Entry): void {
    this.#queue.delete(entry);
    if (!this.#entries.delete(entry)) return;
    const subject = streaming(entry.connection);
    if (subject === undefined) return;
    const left = (this.#streams.get(subject) ?? 0) - 1;
    if (left > 0) this.#streams.set(subject, left);
    else this.#streams.delete(subject);
  }
}

/** Returns the app, user or service account whose stream it is. Undefined for streams that do not count. */
function streaming({ caller, app, isSocket = false }: LiveConnection): string | undefined {
  return app !== undefined || (isSocket && caller.kind === "user") ? undefined : subjectOf(caller);
}
