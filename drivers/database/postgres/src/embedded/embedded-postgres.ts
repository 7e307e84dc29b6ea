import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { backoffMs, type Clock, type Component, type Logger } from "@appserver/kernel";
import { FileLockTimeoutError, withFileLock } from "@appserver/kernel/files";
import type { PostgresConnection } from "../postgres-connection.ts";
import { databaseName, ensureDataFolder, ensurePassword, superuser } from "./data-folder.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { type Placement, place } from "./placement.ts";
import {
  essentialFiles,
  findRunning,
  PortTakenError,
  type Postmaster,
  recordOwner,
  requireOwner,
  StillInUseError,
  startPostmaster,
} from "./postmaster.ts";
import { stopProcess } from "./processes.ts";

export interface EmbeddedPostgresOptions {
  /**
   * A folder for this server only, created if missing. If the account of the server cannot access it, the data is stored
   * elsewhere (see `place`).
   */
  readonly folder: string;
  /** Default: a free port, the same at every start as long as no other process takes it. */
  readonly port?: number;
  /** Whether to use a server that another process runs on the folder, and to leave it running. Default: such a folder is refused. */
  readonly join?: boolean;
  readonly logger: Logger;
  readonly clock: Clock;
}

const host = "127.0.0.1";
const restarts = { firstMs: 100, maxMs: 5_000 };
/** Longer than any statement of the platform may run: the processes of a killed server have ended by then. */
const leftoversTimeoutMs = 60_000;
const leftoversPauseMs = 250;
/** Maximum wait for a start or a server of another process. Longer than a start takes. */
const othersTimeoutMs = 90_000;
const othersPauseMs = 100;

/**
 * Runs PostgreSQL from npm as a supervised child process, on loopback only, with a generated password. Restarts it when it
 * ends, and stops it with this process. Works as an ordinary user and as root. One process owns it; others may use it.
 */
export class EmbeddedPostgres implements Component {
  readonly name = "embedded-postgres";
  readonly #options: EmbeddedPostgresOptions;
  #stopping = new AbortController();
  #connection: PostgresConnection | undefined;
  #postmaster: Postmaster | undefined;
  #home: Placement | undefined;
  #supervision: Promise<void> | undefined;
  #starting: Promise<void> | undefined;

  constructor(options: EmbeddedPostgresOptions) {
    this.#options = options;
  }

  /** The connection to the server. Throws before `start` has resolved. */
  get connection(): PostgresConnection {
    if (!this.#connection) throw new EmbeddedPostgresError("The embedded database has not started.");
    return this.#connection;
  }

  /** Files and folders that exist as long as the data is complete. Empty before `start` has resolved. */
  get files(): readonly string[] {
    return this.#home ? essentialFiles(this.#home) : [];
  }

  /**
   * Resolves when the server accepts connections. Rejects with {@link EmbeddedPostgresError}, also if it is stopped or `signal`
   * aborts during the start. No process is left running then.
   */
  start(signal?: AbortSignal): Promise<void> {
    this.#stopping = new AbortController();
    const onAbort = (): void => this.#abort();
    signal?.addEventListener("abort", onAbort, { once: true });
    // After the start the server runs until stop(), because its users are stopped before it.
    this.#starting = this.#start().finally(() => signal?.removeEventListener("abort", onAbort));
    return this.#starting;
  }

  #abort(): void {
    this.#stopping.abort(new EmbeddedPostgresError("The embedded database was stopped while it was starting."));
  }

  async #start(): Promise<void> {
    const home = await place(this.#options.folder);
    if (this.#options.join) return this.#join(home);
    const { signal } = this.#stopping;
    try {
      await withFileLock(join(home.home, "lock"), () => this.#startIn(home), { timeoutMs: othersTimeoutMs, signal });
    } catch (error) {
      if (!(error instanceof FileLockTimeoutError)) throw error;
      throw new EmbeddedPostgresError(
        `Process ${error.pid} has been starting the embedded database in ${home.home} for too long: end it and start again.`,
      );
    }
  }

  async #join(home: Placement): Promise<void> {
    const { clock } = this.#options;
    for (const deadline = clock.monotonic() + othersTimeoutMs; ; ) {
      const running = await findRunning(home);
      if (running?.owned) {
        this.#connection = connectionTo(running.port, await ensurePassword(home));
        return;
      }
      if (clock.monotonic() > deadline)
        throw new EmbeddedPostgresError(`No process runs the embedded database in ${home.home}.`);
      await clock.sleep(othersPauseMs, this.#stopping.signal);
    }
  }

  async #startIn(home: Placement): Promise<void> {
    await ensureDataFolder(home, this.#options.clock);
    const running = await findRunning(home);
    if (running?.owned) {
      throw new EmbeddedPostgresError(
        `The embedded database in ${home.home} is in use by another process (database server ${running.pid}): end that process, or choose another folder.`,
      );
    }
    if (running) {
      this.#options.logger.info(
        { postmaster: running.pid },
        "database: stopping the server that an earlier process left running",
      );
      await stopProcess(running.pid, this.#options.clock);
    }
    const password = await ensurePassword(home);
    await recordOwner(home);
    this.#home = home;
    this.#postmaster = await this.#startOnSomePort(home);
    this.#connection = connectionTo(this.#postmaster.port, password);
    this.#supervision = this.#supervise(home, this.#postmaster);
  }

  async stop(): Promise<void> {
    this.#abort();
    await this.#starting?.catch(() => {});
    if (this.#postmaster) {
      // Without its files it cannot finish a shutdown in order, and has nothing to save.
      const first = this.files.every((file) => existsSync(file)) ? "SIGINT" : "SIGQUIT";
      await stopProcess(this.#postmaster.pid, this.#options.clock, first);
    }
    await this.#supervision;
    this.#postmaster = undefined;
  }

  async #startOnSomePort(home: Placement): Promise<Postmaster> {
    const { port: fixedPort } = this.#options;
    if (fixedPort !== undefined) {
      return this.#startAfterLeftovers(home, fixedPort).catch((error) => {
        if (!(error instanceof PortTakenError)) throw error;
        throw new EmbeddedPostgresError(`Port ${fixedPort} for the embedded database is in use: choose another one.`);
      });
    }
    let port = Number(await readFile(home.portFile, "utf8").catch(() => "0"));
    for (let attempt = 1; ; attempt++) {
      port = (await freePort(port)) ?? (await freePort(0)) ?? 0;
      try {
        const postmaster = await this.#startAfterLeftovers(home, port);
        await writeFile(home.portFile, String(port));
        return postmaster;
      } catch (error) {
        // Another process took the port between the check and the start.
        if (!(error instanceof PortTakenError) || attempt === 3) throw error;
      }
    }
  }

  /** Server and starter may have been killed together. The server's processes for connections end a little later. */
  async #startAfterLeftovers(home: Placement, port: number): Promise<Postmaster> {
    const { clock, logger } = this.#options;
    const { signal } = this.#stopping;
    for (const deadline = clock.monotonic() + leftoversTimeoutMs; ; await clock.sleep(leftoversPauseMs, signal)) {
      try {
        return await startPostmaster(home, port, clock, signal);
      } catch (error) {
        if (!(error instanceof StillInUseError) || clock.monotonic() > deadline) throw error;
        logger.info({ log: home.logFile }, "database: waiting for processes of a killed server to end");
      }
    }
  }

  async #supervise(home: Placement, first: Postmaster): Promise<void> {
    for (let current: Postmaster | undefined = first; current; ) {
      await current.exited;
      if (this.#stopping.signal.aborted) return;
      this.#options.logger.error({ log: home.logFile }, "database: the server ended unexpectedly; starting it again");
      current = await this.#restart(home, first.port);
    }
  }

  /** Clients use the port, so a restart keeps it. Undefined if the server was stopped during the restart. */
  async #restart(home: Placement, port: number): Promise<Postmaster | undefined> {
    const { clock, logger } = this.#options;
    const { signal } = this.#stopping;
    for (let attempt = 1; ; attempt += 1) {
      await clock.sleep(backoffMs(attempt, restarts), signal).catch(() => {});
      if (signal.aborted) return undefined;
      try {
        await requireOwner(home);
        this.#postmaster = await startPostmaster(home, port, clock, signal);
        // stop() may have been called when this server was ready, and have stopped only the old one.
        if (signal.aborted) await stopProcess(this.#postmaster.pid, clock);
        return this.#postmaster;
      } catch (error) {
        if (signal.aborted) return undefined;
        // Right after a kill -9 the old server's own children still hold the shared memory for a moment.
        const report = attempt === 1 ? "warn" : "debug";
        logger[report]({ err: error }, "database: the server did not start; retrying");
      }
    }
  }
}

function connectionTo(port: number, password: string): PostgresConnection {
  return { host, port, user: superuser, password, database: databaseName };
}

/** Returns the port if it is free, any free one for 0, undefined if it is in use. */
function freePort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(undefined));
    probe.listen(port, host, () => {
      const address = probe.address();
      probe.close(() => resolve(address !== null && typeof address === "object" ? address.port : undefined));
    });
  });
}
