import { type BootstrapResult, lackingRelations, type ModelDefinition } from "@appserver/driver";
import { AppError, type Clock, isAppError, singleFlight, within } from "@appserver/kernel";
import {
  type BootstrapOptions,
  bootstrapStore,
  findStore,
  latestModel,
  noSuchStore,
  type StoredModel,
  storePath,
} from "./bootstrap-store.ts";
import type { OpenFgaClient } from "./openfga-client.ts";

/** The store and model that requests use, with the types of the model. */
export interface Target {
  readonly storeId: string;
  readonly modelId: string;
  readonly types: readonly string[];
  /** What the stored model cannot express of the needed one. */
  readonly lacks: readonly string[];
}

export interface StoreTargetOptions {
  readonly client: OpenFgaClient;
  readonly storeId: string | undefined;
  readonly modelId: string | undefined;
  readonly storeName: string;
  /** What the model has to express. */
  readonly needed?: ModelDefinition | undefined;
  readonly clock: Clock;
}

/** Finds the configured store and model, once. Concurrent callers share one search. A failed search is retried by the next caller. */
export class StoreTarget {
  readonly #options: StoreTargetOptions;
  #target: Target | undefined;
  readonly #lookup = singleFlight(() => this.#readTarget());

  constructor(options: StoreTargetOptions) {
    this.#options = options;
  }

  /** Rejects with NOT_FOUND if store or model are missing, CONFLICT if several have the name, otherwise as the client. */
  async find(): Promise<Target> {
    return this.#target ?? (await this.#lookup());
  }

  /** Like {@link find}, for checks: every failure is SERVICE_UNAVAILABLE, so that it is never used as a result. */
  async forQuestion(timeoutMs?: number): Promise<Target> {
    try {
      return await (timeoutMs === undefined ? this.find() : this.#within(timeoutMs));
    } catch (error) {
      if (!isAppError(error) || error.code === "SERVICE_UNAVAILABLE") throw error;
      throw new AppError("SERVICE_UNAVAILABLE", `permissions cannot be checked: ${error.message}`, { cause: error });
    }
  }

  async bootstrap(options: Omit<BootstrapOptions, "storeId" | "storeName">): Promise<BootstrapResult> {
    const { client, storeId, storeName } = this.#options;
    const result = await bootstrapStore(client, { storeId, storeName, ...options });
    this.#target = await this.#targetOf(result.storeId, result.modelId);
    return result;
  }

  /** Called when the server reports that the store or the model was deleted. The next caller searches again. */
  forget(): void {
    this.#target = undefined;
  }

  async #readTarget(): Promise<Target> {
    const { client, storeName } = this.#options;
    const storeId = this.#options.storeId ?? (await findStore(client, storeName));
    if (storeId === undefined) throw noSuchStore(storeName);
    const modelId = this.#options.modelId ?? (await latestModel(client, storeId))?.id;
    if (modelId === undefined)
      throw new AppError(
        "NOT_FOUND",
        `the authorization store ${storeId} has no model: write it with \`appserver authz bootstrap\``,
      );
    this.#target = await this.#targetOf(storeId, modelId);
    return this.#target;
  }

  async #targetOf(storeId: string, modelId: string): Promise<Target> {
    const path = `${storePath(storeId)}/authorization-models/${encodeURIComponent(modelId)}`;
    const { client, needed } = this.#options;
    const { authorization_model: model } = await client.call<{ authorization_model: StoredModel }>({ path });
    const lacks = model && needed ? lackingRelations(model, needed) : [];
    return { storeId, modelId, types: (model?.type_definitions ?? []).map(({ type }) => type), lacks };
  }

  #within(ms: number): Promise<Target> {
    const error = (): AppError =>
      new AppError("SERVICE_UNAVAILABLE", `the authorization service did not respond within ${ms} ms`, {
        dependency: "authorization",
      });
    return within(() => this.find(), { clock: this.#options.clock, ms, error });
  }
}
