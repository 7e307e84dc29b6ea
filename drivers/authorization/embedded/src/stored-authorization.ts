import { type AuthorizationService, type BootstrapResult, lackingRelations, type ModelDefinition } from "@appserver/driver";
import { AppError, type Clock, type Logger } from "@appserver/kernel";
import type { CheckRequest, Database, Tuple } from "@appserver/kernel/ports";
import type { AuthorizationModel } from "./authorization-model.ts";
import { EmbeddedAuthorization } from "./embedded-authorization.ts";
import { ModelStore } from "./model-store.ts";
import { SqlTupleStore } from "./sql-tuple-store.ts";
import { reach, type TupleFilter } from "./tuple-store.ts";
import type { WriteRequest } from "./write-request.ts";

export interface StoredAuthorizationOptions {
  readonly database: Database;
  /** What the stored model has to express. Absent: `start` takes every model. */
  readonly model?: ModelDefinition | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The authorization service in the platform's database: model and tuples are stored there, each process evaluates them itself. */
export class StoredAuthorization implements AuthorizationService {
  readonly name = "authorization";
  readonly #options: StoredAuthorizationOptions;
  readonly #models: ModelStore;
  readonly #tuples: SqlTupleStore;
  #evaluator: EmbeddedAuthorization | undefined;

  constructor(options: StoredAuthorizationOptions) {
    this.#options = options;
    this.#models = new ModelStore(options.database);
    this.#tuples = new SqlTupleStore(options.database);
  }

  async start(): Promise<void> {
    const stored = await reach(() => this.#models.read());
    if (!stored) {
      throw new AppError(
        "NOT_FOUND",
        "the platform's database has no permissions yet: create them with `appserver authz bootstrap`",
      );
    }
    const { model } = this.#options;
    const [lacking] = model ? lackingRelations(stored.definition, model) : [];
    if (lacking !== undefined) {
      throw new AppError(
        "NOT_FOUND",
        `the authorization model in the platform's database is older than this platform (it lacks ${lacking}): run \`appserver authz bootstrap\`, which keeps all grants`,
      );
    }
    await this.#evaluate(stored.definition);
  }

  async stop(): Promise<void> {
    await this.#evaluator?.stop();
    this.#evaluator = undefined;
  }

  /** A model that was written before stays if it is equal. Servers that run continue with theirs until they start again. */
  async bootstrap({ model }: { readonly model: ModelDefinition }): Promise<BootstrapResult> {
    const { id, definition, isWritten } = await reach(() => this.#models.save(model));
    await this.#evaluate(definition);
    return { modelId: id, modelWritten: isWritten, storeCreated: false };
  }

  noteChange(): void {
    this.#evaluator?.noteChange();
  }

  check(request: CheckRequest): Promise<boolean> {
    return this.#started((evaluator) => evaluator.check(request));
  }

  batchCheck(requests: readonly CheckRequest[]): Promise<readonly boolean[]> {
    return this.#started((evaluator) => evaluator.batchCheck(requests));
  }

  write(change: WriteRequest): Promise<void> {
    return this.#started((evaluator) => evaluator.write(change));
  }

  read(filter: TupleFilter): Promise<readonly Tuple[]> {
    return this.#started((evaluator) => evaluator.read(filter));
  }

  ping(timeoutMs?: number): Promise<void> {
    return this.#started((evaluator) => evaluator.ping(timeoutMs));
  }

  /** Replaces an evaluator with another model. */
  async #evaluate(model: AuthorizationModel): Promise<void> {
    const { clock, logger } = this.#options;
    await this.stop();
    const evaluator = new EmbeddedAuthorization({ model, store: this.#tuples, clock, logger });
    this.#evaluator = evaluator;
    try {
      await evaluator.start();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async #started<T>(work: (evaluator: EmbeddedAuthorization) => Promise<T>): Promise<T> {
    if (this.#evaluator) return await work(this.#evaluator);
    throw new AppError("SERVICE_UNAVAILABLE", "permissions cannot be checked: they are not loaded");
  }
}
