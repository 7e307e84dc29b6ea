import { AppError, type Clock, isAppError, singleFlight, within } from "@appserver/kernel";
import {
  type BootstrapOptions,
  type BootstrapResult,
  bootstrapStore,
  findStore,
  latestModel,
  noSuchStore,
} from "./bootstrap-store.ts";
import type { OpenFgaClient } from "./openfga-client.ts";

/** The store and model that questions are asked of, with the types that the model knows. */
export interface Target {
  readonly storeId: string;
  readonly modelId: string;
  readonly types: readonly string[];
}

export interface StoreTargetOptions {
  readonly client: OpenFgaClient;
  readonly storeId: string | undefined;
  readonly modelId: string | undefined;
  readonly storeName: string;
  readonly clock: Clock;
}

/** Finds out which store and model are meant, once: those who ask meanwhile wait together, and a failure is tried again. */
export class StoreTarget {
  readonly #options: StoreTargetOptions;
  #target: Target | undefined;
  readonly #lookup = singleFlight(() => this.#readTarget());

  constructor(options: StoreTargetOptions) {
    this.#options = options;
  }

  /** Rejects with NOT_FOUND where store or model are missing, CONFLICT where several have the name, else as the client. */
  async find(): Promise<Target> {
    return this.#target ?? (await this.#lookup());
  }

  /** As {@link find} for those who ask a question: whatever is wrong is SERVICE_UNAVAILABLE, since it is no answer. */
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

  /** After the server said that the store or the model is gone: the next one to ask looks for them again. */
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
    const { authorization_model: model } = await this.#options.client.call((api, options) =>
      api.readAuthorizationModel(storeId, modelId, options),
    );
    return { storeId, modelId, types: (model?.type_definitions ?? []).map(({ type }) => type) };
  }

  #within(ms: number): Promise<Target> {
    const error = (): AppError =>
      new AppError("SERVICE_UNAVAILABLE", `the authorization service did not respond within ${ms} ms`);
    return within(() => this.find(), { clock: this.#options.clock, ms, error });
  }
}
