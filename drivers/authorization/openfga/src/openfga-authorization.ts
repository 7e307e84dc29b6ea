import type { BootstrapResult, ModelDefinition } from "@appserver/driver";
import { AppError, type Clock, type Component, isAppError, type Logger } from "@appserver/kernel";
import type { Authorization, CheckRequest, Tuple } from "@appserver/kernel/ports";
import { storePath } from "./bootstrap-store.ts";
import { type Consistency, higherConsistency, minimizeLatency } from "./consistency.ts";
import { type CallOptions, OpenFgaClient, type OpenFgaRequest } from "./openfga-client.ts";
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
  /** The model's id. Undefined: the store's latest model at the first request, which is then kept. */
  readonly modelId?: string | undefined;
  readonly storeName: string;
  /** What the model has to express: `start` rejects while it does not. */
  readonly model?: ModelDefinition | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Maximum time of one request, attempts included. Default 2000. */
  readonly timeoutMs?: number;
  /**
   * When requests make the server bypass its caches: `after-writes` (default) for `consistencyMs` after this process wrote or was
   * notified of a change, `always`, or `never`.
   */
  readonly consistency?: "after-writes" | "always" | "never";
  /** Default 15000: longer than a server caches by default (10 s). */
  readonly consistencyMs?: number;
  /** The server's `OPENFGA_MAX_CHECKS_PER_BATCH_CHECK`. Default 50, as on the server. */
  readonly maxChecksPerBatch?: number;
}

/** Returns a request about the store and the model. Its path is below that of the store. */
type Question = (target: Target) => OpenFgaRequest;

/** The server's codes for a deleted store or model. */
const gone: ReadonlySet<unknown> = new Set(["store_id_not_found", "authorization_model_not_found"]);

/**
 * Stores and evaluates permissions with an OpenFGA server (1.10 or newer: writes are idempotent there).
 *
 * Fails closed: an unreachable, slow, overloaded or misconfigured server causes SERVICE_UNAVAILABLE, never a result. Changes of
 * more than 100 tuples are not one transaction: see `write`.
 */
export class OpenFgaAuthorization implements Authorization, Component {
  readonly name = "authorization";
  readonly #options: OpenFgaAuthorizationOptions;
  readonly #client: OpenFgaClient;
  readonly #target: StoreTarget;
  #consistentUntil = Number.NEGATIVE_INFINITY;

  constructor(options: OpenFgaAuthorizationOptions) {
    this.#options = options;
    const { apiUrl, apiToken, storeId, modelId, storeName, model: needed, clock, timeoutMs = 2_000 } = options;
    this.#client = new OpenFgaClient({ apiUrl, apiToken, clock, timeoutMs });
    this.#target = new StoreTarget({ client: this.#client, storeId, modelId, storeName, needed, clock });
  }

  /**
   * Finds the store and the model. If the server does not respond yet, this is only logged, and the first request that reaches
   * the server finds them. Rejects with instructions if the store is missing or ambiguous, or if its model is older than this platform.
   */
  async start(): Promise<void> {
    try {
      const { lacks } = await this.#target.find();
      if (lacks.length > 0) throw this.#olderModel(lacks);
    } catch (error) {
      if (!isAppError(error, "SERVICE_UNAVAILABLE")) throw error;
      this.#options.logger.warn(
        { err: error },
        "authorization: OpenFGA is unreachable; permission checks fail until it responds",
      );
    }
  }

  /** The next attempt reads the model again. */
  #olderModel(lacks: readonly string[]): AppError {
    this.#target.forget();
    const { modelId } = this.#options;
    const which = modelId === undefined ? "the authorization model of the store" : `the authorization model ${modelId}`;
    const remedy = modelId === undefined ? "" : ", and set APPSERVER_OPENFGA_MODEL_ID to the model that it prints";
    return new AppError(
      "NOT_FOUND",
      `${which} is older than this platform (it lacks ${lacks[0]}): run \`appserver authz bootstrap\`, which keeps all grants${remedy}`,
    );
  }

  stop(): Promise<void> {
    return this.#client.close();
  }

  /**
   * Creates or updates the store and its model for the platform, and uses them afterwards. A second run changes nothing. Two
   * concurrent callers could create two stores of one name: hold a lock. Rejects like `start`, and with SERVICE_UNAVAILABLE.
   */
  bootstrap(options: { readonly model: ModelDefinition; readonly createStore?: boolean }): Promise<BootstrapResult> {
    return this.#target.bootstrap(options);
  }

  /** Records that another process changed permissions: for a while requests bypass the server's caches. */
  noteChange(): void {
    this.#consistentUntil = this.#options.clock.monotonic() + (this.#options.consistencyMs ?? 15_000);
  }

  async check(request: CheckRequest): Promise<boolean> {
    const { allowed } = await this.#ask<{ allowed: unknown }>(({ modelId }) => ({
      path: "/check",
      body: { ...questionOf(request), authorization_model_id: modelId, consistency: this.#consistency() },
    }));
    if (typeof allowed !== "boolean") throw noAnswer("the response to a check has no result");
    return allowed;
  }

  async batchCheck(requests: readonly CheckRequest[]): Promise<readonly boolean[]> {
    const batches = chunks(requests, this.#options.maxChecksPerBatch ?? 50);
    return (await Promise.all(batches.map((batch) => this.#checkBatch(batch)))).flat();
  }

  /**
   * Writes and deletes tuples. Up to 100 tuples change in one transaction. A larger change is first checked as a whole, then
   * sent in requests of 100, deletes before writes. If the server fails in between, some deletes are done and some writes are
   * missing. The call then rejects, and repeating it completes the change.
   */
  async write(change: { readonly writes?: readonly Tuple[]; readonly deletes?: readonly Tuple[] }): Promise<void> {
    const plan = planWrites(change);
    if (plan.length === 0) return;
    if (plan.length > 1) await this.#refuseInvalid(plan);
    try {
      for (const part of plan) await this.#writePart(part);
    } finally {
      // Also after a failure: the write may have succeeded although its response was lost.
      this.noteChange();
    }
  }

  async read(filter: TupleFilter): Promise<readonly Tuple[]> {
    const { storeId, types } = await this.#target.forQuestion();
    return await readTuples(this.#client, storeId, types, filter);
  }

  /** Requests the store, so that a wrong key or a deleted store is detected too. */
  async ping(timeoutMs?: number): Promise<void> {
    await this.#ask(() => ({ path: "" }), { timeoutMs, repeatable: false });
  }

  async #ask<T extends object>(question: Question, options: CallOptions = {}): Promise<Partial<T>> {
    const target = await this.#target.forQuestion(options.timeoutMs);
    const request = question(target);
    try {
      return await this.#client.call<T>({ ...request, path: storePath(target.storeId) + request.path }, options);
    } catch (error) {
      if (isAppError(error) && gone.has(error.details["openfgaCode"])) this.#target.forget();
      throw error;
    }
  }

  async #checkBatch(batch: readonly CheckRequest[]): Promise<boolean[]> {
    const checks = batch.map((request, position) => ({ ...questionOf(request), correlation_id: String(position) }));
    const { result } = await this.#ask<{ result: Readonly<Record<string, BatchCheckResult>> }>(({ modelId }) => ({
      path: "/batch-check",
      body: { checks, authorization_model_id: modelId, consistency: this.#consistency() },
    }));
    return batch.map((_, position) => answerOf(result?.[String(position)]));
  }

  #writePart({ writes, deletes }: TupleChange): Promise<unknown> {
    return this.#ask(({ modelId }) => ({
      path: "/write",
      body: {
        authorization_model_id: modelId,
        ...(writes.length === 0 ? {} : { writes: { tuple_keys: writes, on_duplicate: "ignore" } }),
        ...(deletes.length === 0 ? {} : { deletes: { tuple_keys: deletes, on_missing: "ignore" } }),
      },
    }));
  }

  /**
   * Checks tuples with a request that carries them as contextual tuples: the server validates these against the model like
   * writes.
   */
  async #refuseInvalid(plan: readonly TupleChange[]): Promise<void> {
    for (const { writes } of plan) {
      const [first] = writes;
      if (first) await this.check({ ...first, contextualTuples: writes });
    }
  }

  #consistency(): Consistency {
    const { consistency = "after-writes", clock } = this.#options;
    const higher = consistency === "always" || (consistency === "after-writes" && clock.monotonic() < this.#consistentUntil);
    return higher ? higherConsistency : minimizeLatency;
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

interface BatchCheckResult {
  readonly allowed?: unknown;
  readonly error?: { readonly input_error?: string; readonly message?: string };
}

function answerOf(result: BatchCheckResult | undefined): boolean {
  const error = result?.error;
  if (error?.input_error) {
    const details = { openfgaCode: error.input_error };
    throw new AppError("INVALID_REQUEST", error.message ?? "a check was refused", { details });
  }
  if (error || typeof result?.allowed !== "boolean")
    throw noAnswer("the response to a batch lacks the result of a check", error);
  return result.allowed;
}

function noAnswer(message: string, cause?: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", `permissions cannot be checked: ${message}`, {
    cause,
    dependency: "authorization",
  });
}
