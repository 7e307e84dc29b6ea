import { AppError, type Clock, type Component, isAppError, type Logger, messageOf } from "@appserver/kernel";
import type { Authorization, CheckRequest, Tuple } from "@appserver/kernel/ports";
import {
  type BatchCheckSingleResult,
  ConsistencyPreference,
  type OpenFgaApi,
  WriteRequestDeletesOnMissing,
  WriteRequestWritesOnDuplicate,
} from "@openfga/sdk";
import type { BootstrapResult, OpenFgaModel } from "./bootstrap-store.ts";
import { type CallOptions, OpenFgaClient } from "./openfga-client.ts";
import { readTuples, type TupleFilter } from "./read-tuples.ts";
import { StoreTarget, type Target } from "./store-target.ts";
import { chunks, planWrites, type TupleChange } from "./write-plan.ts";

export interface OpenFgaAuthorizationOptions {
  /** `APPSERVER_OPENFGA_API_URL` */
  readonly apiUrl: string;
  /** A preshared key of the server: `APPSERVER_OPENFGA_API_TOKEN`. */
  readonly apiToken?: string | undefined;
  /** The store's id. Undefined: the only store with the name `storeName`. */
  readonly storeId?: string | undefined;
  /** The model; else the store's latest at the first question, and that one from then on. */
  readonly modelId?: string | undefined;
  /** Default `appserver`. */
  readonly storeName?: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long one question may take, attempts included. Default 2000. */
  readonly timeoutMs?: number;
  /**
   * When the server is asked to pass over its caches: `after-writes` (default) for `consistencyMs` after this process
   * wrote or heard of a change, `always`, or `never`.
   */
  readonly consistency?: "after-writes" | "always" | "never";
  /** Default 15000: longer than a server's caches hold by default (10 s). */
  readonly consistencyMs?: number;
  /** The server's `OPENFGA_MAX_CHECKS_PER_BATCH_CHECK`. Default 50, as there. */
  readonly maxChecksPerBatch?: number;
}

/** One request of the API, about the store and model. */
type Question<T> = (api: OpenFgaApi, target: Target, options: { readonly signal: AbortSignal }) => Promise<T>;

/** The server's words for a store or model that was there once. */
const gone: ReadonlySet<unknown> = new Set(["store_id_not_found", "authorization_model_not_found"]);

/**
 * Permissions kept and evaluated by an OpenFGA server (1.10 or newer: writes are idempotent there).
 *
 * Fails closed: a server that is unreachable, slow, overloaded or configured wrongly is SERVICE_UNAVAILABLE, never an
 * answer. Changes of more than 100 tuples are not one transaction: see `write`.
 */
export class OpenFgaAuthorization implements Authorization, Component {
  readonly name = "authorization";
  readonly #options: OpenFgaAuthorizationOptions;
  readonly #client: OpenFgaClient;
  readonly #target: StoreTarget;
  #consistentUntil = Number.NEGATIVE_INFINITY;

  constructor(options: OpenFgaAuthorizationOptions) {
    this.#options = options;
    const { apiUrl, apiToken, storeId, modelId, storeName = "appserver", clock, timeoutMs = 2_000 } = options;
    this.#client = new OpenFgaClient({ apiUrl, apiToken, clock, timeoutMs });
    this.#target = new StoreTarget({ client: this.#client, storeId, modelId, storeName, clock });
  }

  /**
   * Finds the store and the model. A server that does not answer yet is only logged, and found by the first question that
   * reaches it; a store that is missing or ambiguous rejects, with what to do about it.
   */
  async start(): Promise<void> {
    try {
      await this.#target.find();
    } catch (error) {
      if (!isAppError(error, "SERVICE_UNAVAILABLE")) throw error;
      const reason = error.cause === undefined ? error.message : messageOf(error.cause);
      this.#options.logger.warn({ error: reason }, "the authorization service cannot be asked yet: permissions wait for it");
    }
  }

  stop(): void {
    this.#client.close();
  }

  /**
   * Makes the store and its model what the platform needs, and uses them from then on; a second run changes nothing. Two
   * callers at the same moment could create two stores of one name: hold a lock. Rejects as `start`, and with
   * SERVICE_UNAVAILABLE.
   */
  bootstrap(options: { readonly model: OpenFgaModel; readonly createStore?: boolean }): Promise<BootstrapResult> {
    return this.#target.bootstrap(options);
  }

  /** Tells that another process changed permissions: for a while questions pass over the server's caches. */
  noteChange(): void {
    this.#consistentUntil = this.#options.clock.monotonic() + (this.#options.consistencyMs ?? 15_000);
  }

  async check(request: CheckRequest): Promise<boolean> {
    const { allowed } = await this.#ask((api, { storeId, modelId }, options) => {
      const body = { ...questionOf(request), authorization_model_id: modelId, consistency: this.#consistency() };
      return api.check(storeId, body, options);
    });
    if (typeof allowed !== "boolean") throw noAnswer("a check was answered with neither yes nor no");
    return allowed;
  }

  async batchCheck(requests: readonly CheckRequest[]): Promise<readonly boolean[]> {
    const batches = chunks(requests, this.#options.maxChecksPerBatch ?? 50);
    return (await Promise.all(batches.map((batch) => this.#checkBatch(batch)))).flat();
  }

  /**
   * Writes and deletes. Up to 100 tuples change together or not at all. A larger change is first checked as a whole, then
   * made in requests of 100, deletes before writes: where the server is lost on the way, some of what was to be deleted is
   * gone and some of what was to be written is missing; the call rejects, and repeating it finishes the change.
   */
  async write(change: { readonly writes?: readonly Tuple[]; readonly deletes?: readonly Tuple[] }): Promise<void> {
    const plan = planWrites(change);
    if (plan.length === 0) return;
    if (plan.length > 1) await this.#refuseInvalid(plan);
    try {
      for (const part of plan) await this.#writePart(part);
    } finally {
      // Also after a failure: the answer may have been lost, not the write.
      this.noteChange();
    }
  }

  async read(filter: TupleFilter): Promise<readonly Tuple[]> {
    const { storeId, types } = await this.#target.forQuestion();
    return await readTuples(this.#client, storeId, types, filter);
  }

  /** Asks for the store, so a wrong key or a store that is gone is found too. */
  async ping(timeoutMs?: number): Promise<void> {
    await this.#ask((api, { storeId }, options) => api.getStore(storeId, options), { timeoutMs, repeatable: false });
  }

  async #ask<T>(question: Question<T>, callOptions: CallOptions = {}): Promise<T> {
    const target = await this.#target.forQuestion(callOptions.timeoutMs);
    try {
      return await this.#client.call((api, options) => question(api, target, options), callOptions);
    } catch (error) {
      if (isAppError(error) && gone.has(error.details["openfgaCode"])) this.#target.forget();
      throw error;
    }
  }

  async #checkBatch(batch: readonly CheckRequest[]): Promise<boolean[]> {
    const checks = batch.map((request, position) => ({ ...questionOf(request), correlation_id: String(position) }));
    const { result } = await this.#ask((api, { storeId, modelId }, options) =>
      api.batchCheck(storeId, { checks, authorization_model_id: modelId, consistency: this.#consistency() }, options),
    );
    return batch.map((_, position) => answerOf(result?.[String(position)]));
  }

  #writePart({ writes, deletes }: TupleChange): Promise<unknown> {
    const { Ignore: ignoreDuplicates } = WriteRequestWritesOnDuplicate;
    const { Ignore: ignoreMissing } = WriteRequestDeletesOnMissing;
    return this.#ask((api, { storeId, modelId }, options) => {
      const body = {
        authorization_model_id: modelId,
        ...(writes.length === 0 ? {} : { writes: { tuple_keys: [...writes], on_duplicate: ignoreDuplicates } }),
        ...(deletes.length === 0 ? {} : { deletes: { tuple_keys: [...deletes], on_missing: ignoreMissing } }),
      };
      return api.write(storeId, body, options);
    });
  }

  /** A question's contextual tuples are held to the model as writes are: asking with them refuses what a write would. */
  async #refuseInvalid(plan: readonly TupleChange[]): Promise<void> {
    for (const { writes } of plan) {
      const [first] = writes;
      if (first) await this.check({ ...first, contextualTuples: writes });
    }
  }

  #consistency(): ConsistencyPreference {
    const { consistency = "after-writes", clock } = this.#options;
    const higher = consistency === "always" || (consistency === "after-writes" && clock.monotonic() < this.#consistentUntil);
    return higher ? ConsistencyPreference.HigherConsistency : ConsistencyPreference.MinimizeLatency;
  }
}

interface QuestionBody {
  readonly tuple_key: Tuple;
  readonly contextual_tuples?: { tuple_keys: Tuple[] };
  readonly context?: object;
}

function questionOf({ user, relation, object, contextualTuples, context }: CheckRequest): QuestionBody {
  return {
    tuple_key: { user, relation, object },
    ...(contextualTuples && contextualTuples.length > 0 ? { contextual_tuples: { tuple_keys: [...contextualTuples] } } : {}),
    ...(context ? { context } : {}),
  };
}

function answerOf(result: BatchCheckSingleResult | undefined): boolean {
  const error = result?.error;
  if (error?.input_error) {
    const details = { openfgaCode: error.input_error };
    throw new AppError("INVALID_REQUEST", error.message ?? "a check was refused", { details });
  }
  if (error || typeof result?.allowed !== "boolean") throw noAnswer("a check of a batch was not answered", error);
  return result.allowed;
}

function noAnswer(message: string, cause?: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", `permissions cannot be checked: ${message}`, { cause });
}
