import type { BootstrapResult, ModelDefinition } from "@appserver/driver";
import { AppError } from "@appserver/kernel";
import type { AuthorizationModel, WriteAuthorizationModelRequest } from "@openfga/sdk";
import type { OpenFgaClient } from "./openfga-client.ts";
import { isSameModel } from "./same-model.ts";

export interface BootstrapOptions {
  /** The store's id, if known. */
  readonly storeId?: string | undefined;
  /** Otherwise the only store with this name. */
  readonly storeName: string;
  /** Creates the store if none has the name. Two concurrent callers would create two: hold a lock. */
  readonly createStore?: boolean;
  readonly model: ModelDefinition;
}

/** Creates or updates the store and its model for the platform. A second run changes nothing. */
export async function bootstrapStore(client: OpenFgaClient, options: BootstrapOptions): Promise<BootstrapResult> {
  const found = options.storeId ?? (await findStore(client, options.storeName));
  if (found === undefined && !options.createStore) throw noSuchStore(options.storeName);
  const storeId = found ?? (await createStore(client, options.storeName));
  const latest = await latestModel(client, storeId);
  const same = latest !== undefined && isSameModel(latest, options.model);
  const modelId = same ? latest.id : await writeModel(client, storeId, options.model);
  return { storeId, modelId, storeCreated: found === undefined, modelWritten: !same };
}

/**
 * Returns the id of the store with this name, undefined if there is none. Throws if several have the name: an operator must
 * choose one.
 */
export async function findStore(client: OpenFgaClient, name: string): Promise<string | undefined> {
  const ids: string[] = [];
  let page: string | undefined;
  do {
    const { stores, continuation_token } = await client.call((api, options) => api.listStores(100, page, name, options));
    // A server without the name filter (an older version) returns every store.
    ids.push(...stores.filter((store) => store.name === name).map(({ id }) => id));
    page = continuation_token || undefined;
  } while (page !== undefined);
  if (ids.length > 1) {
    throw new AppError(
      "CONFLICT",
      `${ids.length} authorization stores are named ${name}: set APPSERVER_OPENFGA_STORE_ID to one of ${ids.join(", ")}`,
    );
  }
  return ids[0];
}

export function noSuchStore(name: string): AppError {
  return new AppError(
    "NOT_FOUND",
    `there is no authorization store named ${name}: create it with \`appserver authz bootstrap\`, or configure the right name`,
  );
}

export async function latestModel(client: OpenFgaClient, storeId: string): Promise<AuthorizationModel | undefined> {
  const page = await client.call((api, options) => api.readAuthorizationModels(storeId, 1, undefined, options));
  return page.authorization_models[0];
}

async function createStore(client: OpenFgaClient, name: string): Promise<string> {
  // Not repeatable: a second attempt after a lost response would create a second store of the same name.
  const { id } = await client.call((api, options) => api.createStore({ name }, options), { repeatable: false });
  return id;
}

async function writeModel(client: OpenFgaClient, storeId: string, model: ModelDefinition): Promise<string> {
  // The transformer of the model language writes null for absent members, which the API does not accept.
  const body: WriteAuthorizationModelRequest = JSON.parse(JSON.stringify(model), (_, value) => value ?? undefined);
  const written = await client.call((api, options) => api.writeAuthorizationModel(storeId, body, options));
  return written.authorization_model_id;
}
