import { type Clock, type Logger, messageOf } from "@appserver/kernel";
import { DatabaseError } from "@appserver/kernel/ports";
import pg from "pg";

export interface HangWatchOptions {
  readonly pool: pg.Pool;
  /** Configuration of the pool's connections. */
  readonly config: pg.ClientConfig;
  readonly clock: Clock;
  readonly logger: Logger;
}

const lookEveryMs = 1_000;
/** Work that takes longer may be slow, or the server may hang: a probe decides. */
const suspectMs = 4_000;
const probeTimeoutMs = 3_000;

/**
 * Ends the work of a pool on a server that does not respond at all, some eight seconds after it began to hang. A frozen server,
 * or one whose machine stopped, keeps connections open: without this, each statement would wait for its own timeout, and later
 * statements for the earlier ones. Work that is only slow is not ended.
 */
export class HangWatch {
  readonly #options: HangWatchOptions;
  /** Busy connections and when their work started. */
  readonly #busy = new Map<pg.PoolClient, number>();
  readonly #timer: ReturnType<typeof setInterval>;
  #isProbing = false;

  constructor(options: HangWatchOptions) {
    const { pool, clock } = options;
    this.#options = options;
    pool.on("acquire", (client) => this.#busy.set(client, clock.monotonic()));
    pool.on("release", (_error, client) => this.#busy.delete(client));
    pool.on("remove", (client) => this.#busy.delete(client));
    this.#timer = setInterval(() => void this.#look(), lookEveryMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get #suspects(): readonly pg.PoolClient[] {
    const before = this.#options.clock.monotonic() - suspectMs;
    return [...this.#busy].flatMap(([client, since]) => (since < before ? [client] : []));
  }

  async #look(): Promise<void> {
    if (this.#isProbing || this.#suspects.length === 0) return;
    this.#isProbing = true;
    try {
      const failure = await this.#probe();
      if (failure === undefined) return;
      const hanging = this.#suspects;
      const fields = { err: new DatabaseError("unavailable", failure), connections: hanging.length };
      this.#options.logger.warn(fields, "database: the server does not respond; ending the connections that wait for it");
      // Their statements fail like those of a lost connection.
      for (const client of hanging) if (client instanceof pg.Client) void client.end().catch(() => {});
    } finally {
      this.#isProbing = false;
    }
  }

  /** Returns why the server does not respond on a new connection; undefined if it does, even with an error. */
  async #probe(): Promise<string | undefined> {
    const limits = { connectionTimeoutMillis: probeTimeoutMs, query_timeout: probeTimeoutMs };
    const client = new pg.Client({ ...this.#options.config, ...limits });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query("select 1");
      return undefined;
    } catch (error) {
      return error instanceof pg.DatabaseError ? undefined : messageOf(error);
    } finally {
      void client.end().catch(() => {});
    }
  }
}
