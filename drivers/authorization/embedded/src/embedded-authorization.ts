import { AppError, type Clock, type Component, every, type Logger, silentLogger, within } from "@appserver/kernel";
import type { Authorization, ChannelSubscription, CheckRequest, Tuple } from "@appserver/kernel/ports";
import type { AuthorizationModel } from "./authorization-model.ts";
import { CheckError, errorCodes } from "./check-error.ts";
import { type EvaluableRequest, evaluateCheck } from "./evaluate-check.ts";
import { compileModel, type Model } from "./model.ts";
import { TupleIndex } from "./tuple-index.ts";
import { reach, type TupleFilter, type TupleStore } from "./tuple-store.ts";
import { checkedWrite, type WriteRequest } from "./write-request.ts";

export interface EmbeddedAuthorizationOptions {
  readonly model: AuthorizationModel;
  readonly store: TupleStore;
  readonly clock: Clock;
  readonly logger?: Logger;
}

/** How often the driver reads the store without a notification: a store that was restored from a copy sends none. */
const refreshMs = 30_000;
/** Longest time that a check waits for the store. */
const checkMs = 2_000;

/**
 * Evaluates permissions by OpenFGA's rules without OpenFGA. All tuples are in the store and in memory, so a check reads only
 * memory while the process hears every notification of a change, and has read all that it was notified of. Otherwise a check first reads
 * the changes from the store. Checks of this process see a write when it resolves, those of other processes within a second.
 *
 * Fails closed: before `start`, and if the changes have to be read and cannot be, checks reject with SERVICE_UNAVAILABLE.
 */
export class EmbeddedAuthorization implements Authorization, Component {
  readonly name = "authorization";
  readonly #options: EmbeddedAuthorizationOptions;
  readonly #logger: Logger;
  #state: { readonly model: Model; readonly index: TupleIndex; revision: number } | undefined;
  /** Grows with each notification. */
  #heard = 0;
  /** The value of {@link #heard} at the begin of the last successful read. */
  #read = -1;
  #lastSync: Promise<void> = Promise.resolve();
  #queuedSync: Promise<void> | undefined;
  #watch: ChannelSubscription | undefined;
  #stopping = new AbortController();

  constructor(options: EmbeddedAuthorizationOptions) {
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
  }

  /** Compiles the model and loads every tuple. Rejects if one of them is not possible. */
  async start(): Promise<void> {
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    const model = await compileModel(this.#options.model);
    // Watches first, so that changes during the load are not missed.
    this.#watch ??= await this.#options.store.watch(() => this.noteChange());
    await this.#load(model);
    // A notification during the load had no loaded tuples to update.
    await reach(() => this.#sync());
    void every({
      clock: this.#options.clock,
      signal,
      intervalMs: refreshMs,
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
    await this.#upToDate();
    return this.#answer(request);
  }

  async batchCheck(requests: readonly CheckRequest[]): Promise<readonly boolean[]> {
    await this.#upToDate();
    return requests.map((request) => this.#answer(request));
  }

  async write(change: WriteRequest): Promise<void> {
    const { writes, deletes } = checkedWrite(this.#current().model, change);
    if (writes.length + deletes.length === 0) return;
    await reach(() => this.#options.store.apply(writes, deletes));
    await reach(() => this.#sync());
  }

  read(filter: TupleFilter): Promise<readonly Tuple[]> {
    return reach(() => this.#options.store.read(filter));
  }

  ping(timeoutMs?: number): Promise<void> {
    return reach(() => this.#options.store.ping(timeoutMs));
  }

  /** Called when the tuples may have changed: the next check reads them. */
  noteChange(): void {
    this.#heard += 1;
    this.#syncInBackground();
  }

  /** Returns without a promise if the memory is as new as a check needs it. */
  #upToDate(): Promise<void> | undefined {
    if (!this.#state) return undefined;
    const hears = this.#watch?.hears() === true;
    if (hears && this.#read === this.#heard) return undefined;
    const error = () =>
      new AppError("SERVICE_UNAVAILABLE", "permissions cannot be checked: their store does not respond in time");
    return within(() => reach(() => this.#sync()), { clock: this.#options.clock, ms: checkMs, error });
  }

  #answer(request: EvaluableRequest): boolean {
    const { model, index } = this.#current();
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
    const heard = this.#heard;
    const { revision, tuples } = await reach(() => this.#options.store.load());
    this.#state = { model, index: new TupleIndex(model, tuples), revision };
    this.#read = heard;
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
    const heard = this.#heard;
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
    this.#read = heard;
  }

  #syncInBackground(): void {
    this.#sync().catch((error: unknown) => {
      this.#logger.warn({ err: error }, "authorization: could not read changed permissions; retrying at the next interval");
    });
  }
}

/** A check that is too complex may have a result that was not computed. Other errors mean that the check is invalid. */
function toAppError(error: CheckError): AppError {
  const code = error.code === errorCodes.resolutionTooComplex ? "SERVICE_UNAVAILABLE" : "INVALID_REQUEST";
  return new AppError(code, error.message, { details: { openfgaCode: error.code }, cause: error });
}
