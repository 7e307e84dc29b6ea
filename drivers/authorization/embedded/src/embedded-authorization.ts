import { AppError, type Clock, type Component, every, type Logger, silentLogger } from "@appserver/kernel";
import { type Authorization, type CheckRequest, DatabaseError, type Tuple } from "@appserver/kernel/ports";
import type { AuthorizationModel } from "./authorization-model.ts";
import { CheckError, errorCodes } from "./check-error.ts";
import { type EvaluableRequest, evaluateCheck } from "./evaluate-check.ts";
import { compileModel, type Model } from "./model.ts";
import { TupleIndex } from "./tuple-index.ts";
import type { TupleFilter, TupleStore } from "./tuple-store.ts";
import { checkedWrite, type WriteRequest } from "./write-request.ts";

export interface EmbeddedAuthorizationOptions {
  readonly model: AuthorizationModel;
  readonly store: TupleStore;
  readonly clock: Clock;
  readonly logger?: Logger;
  /** How often the driver reads the store for changes without a notification. */
  readonly refreshMs?: number;
  /** How long checks use the memory while the store cannot be reached. Default 5 min, as docs/interface/limits.md#caches. */
  readonly maxStalenessMs?: number;
}

/**
 * Evaluates permissions by OpenFGA's rules without OpenFGA. All tuples are in the store and in memory, so a check reads only
 * memory. Checks of this process see a write when it resolves. Checks of other processes see it after a notification.
 *
 * Fails closed: before `start`, and if the memory is older than `maxStalenessMs`, checks reject with SERVICE_UNAVAILABLE.
 */
export class EmbeddedAuthorization implements Authorization, Component {
  readonly name = "authorization";
  readonly #options: EmbeddedAuthorizationOptions;
  readonly #logger: Logger;
  readonly #refreshMs: number;
  readonly #maxStalenessMs: number;
  #state: { readonly model: Model; readonly index: TupleIndex; revision: number } | undefined;
  #syncedAt = Number.NEGATIVE_INFINITY;
  #lastSync: Promise<void> = Promise.resolve();
  #queuedSync: Promise<void> | undefined;
  #watch: { close(): Promise<void> } | undefined;
  #stopping = new AbortController();

  constructor(options: EmbeddedAuthorizationOptions) {
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#refreshMs = options.refreshMs ?? 30_000;
    this.#maxStalenessMs = options.maxStalenessMs ?? 300_000;
  }

  /** Compiles the model and loads every tuple. Rejects if one of them is not possible. */
  async start(): Promise<void> {
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    const model = await compileModel(this.#options.model);
    // Watches first, so that changes during the load are not missed.
    this.#watch ??= await this.#options.store.watch(() => this.#syncInBackground());
    await this.#load(model);
    // A notification during the load had no loaded tuples to update.
    await this.#reach(() => this.#sync());
    void every({
      clock: this.#options.clock,
      signal,
      intervalMs: this.#refreshMs,
      first: "after a pause",
      run: () => this.#syncInBackground(),
      onError: (error) => this.#logger.error({ err: error }, "authorization: could not refresh the permissions"),
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#watch?.close();
    this.#watch = undefined;
    await this.#lastSync;
    this.#state = undefined;
  }

  async check(request: EvaluableRequest): Promise<boolean> {
    return this.#answer(request);
  }

  async batchCheck(requests: readonly CheckRequest[]): Promise<readonly boolean[]> {
    return requests.map((request) => this.#answer(request));
  }

  async write(change: WriteRequest): Promise<void> {
    const { writes, deletes } = checkedWrite(this.#current().model, change);
    if (writes.length + deletes.length === 0) return;
    await this.#reach(() => this.#options.store.apply(writes, deletes));
    await this.#reach(() => this.#sync());
  }

  read(filter: TupleFilter): Promise<readonly Tuple[]> {
    return this.#reach(() => this.#options.store.read(filter));
  }

  ping(timeoutMs?: number): Promise<void> {
    return this.#reach(() => this.#options.store.ping(timeoutMs));
  }

  #answer(request: EvaluableRequest): boolean {
    const { model, index } = this.#current();
    if (this.#options.clock.monotonic() - this.#syncedAt > this.#maxStalenessMs) {
      throw new AppError("SERVICE_UNAVAILABLE", "permissions cannot be checked: their store has not responded for too long");
    }
    try {
      return evaluateCheck(model, index, request);
    } catch (error) {
      throw error instanceof CheckError ? toAppError(error) : error;
    }
  }

  #current(): { readonly model: Model; readonly index: TupleIndex; revision: number } {
    if (!this.#state) throw new AppError("SERVICE_UNAVAILABLE", "permissions cannot be checked: they are not loaded");
    return this.#state;
  }

  async #load(model: Model): Promise<void> {
    const askedAt = this.#options.clock.monotonic();
    const { revision, tuples } = await this.#reach(() => this.#options.store.load());
    this.#state = { model, index: new TupleIndex(model, tuples), revision };
    this.#syncedAt = askedAt;
  }

  /** Updates the memory to a state of the store after the call. Waiting calls share one update. */
  #sync(): Promise<void> {
    this.#queuedSync ??= this.#lastSync.then(() => {
      this.#queuedSync = undefined;
      return this.#pullChanges();
    });
    // The next update waits for this one, also if this one fails.
    this.#lastSync = this.#queuedSync.catch(() => {});
    return this.#queuedSync;
  }

  async #pullChanges(): Promise<void> {
    const state = this.#state;
    if (!state) return;
    const askedAt = this.#options.clock.monotonic();
    const newer = await this.#options.store.changesSince(state.revision);
    if (!newer) {
      await this.#load(state.model);
      return;
    }
    for (const { deleted, tuple } of newer.changes) {
      if (deleted) state.index.remove(tuple);
      else state.index.add(tuple);
    }
    state.revision = newer.revision;
    this.#syncedAt = askedAt;
  }

  #syncInBackground(): void {
    this.#sync().catch((error: unknown) => {
      this.#logger.warn({ err: error }, "authorization: could not read changed permissions; retrying at the next interval");
    });
  }

  /** Runs an operation of the store. Converts its failures to SERVICE_UNAVAILABLE. */
  async #reach<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      throw new AppError("SERVICE_UNAVAILABLE", "the permission store does not respond", { cause: error });
    }
  }
}

/** A check that is too complex may have a result that was not computed. Other errors mean that the check is invalid. */
function toAppError(error: CheckError): AppError {
  const code = error.code === errorCodes.resolutionTooComplex ? "SERVICE_UNAVAILABLE" : "INVALID_REQUEST";
  return new AppError(code, error.message, { details: { openfgaCode: error.code }, cause: error });
}
