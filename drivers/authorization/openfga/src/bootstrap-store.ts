import { AppError } from "@appserver/kernel";
import type { AuthorizationModel, WriteAuthorizationModelRequest } from "@openfga/sdk";
import type { OpenFgaClient } from "./openfga-client.ts";
import { isSameModel } from "./same-model.ts";

/** An authorization model in the JSON form of OpenFGA's API (`WriteAuthorizationModelRequest`). */
export interface OpenFgaModel {
  readonly schema_version: string;
  readonly type_definitions: readonly object[];
  readonly conditions?: object;
}

export interface BootstrapOptions {
  /** The store, where its id is known. */
  readonly storeId?: string | undefined;
  /** Else the one store of this name. */
  readonly storeName: string;
  /** Creates the store where none has the name. Two callers at the same moment would create two: hold a lock. */
  readonly createStore?: boolean;
  readonly model: OpenFgaModel;
}

export interface BootstrapResult {
  /** For `APPSERVER_OPENFGA_STORE_ID`. */
  readonly storeId: string;
  /** For `APPSERVER_OPENFGA_MODEL_ID`. */
  readonly modelId: string;
  readonly storeCreated: boolean;
  /** False where the store's latest model says the same already. */
  readonly modelWritten: boolean;
}

/** Makes the store and its model what the platform needs; a second run changes nothing. */
export async function bootstrapStore(client: OpenFgaClient, options: BootstrapOptions): Promise<BootstrapResult> {
  const found = options.storeId ?? (await findStore(client, options.storeName));
  if (found === undefined && !options.createStore) throw noSuchStore(options.storeName);
  const storeId = found ?? (await createStore(client, options.storeName));
  const latest = await latestModel(client, storeId);
  const same = latest !== undefined && isSameModel(latest, options.model);
  const modelId = same ? latest.id : await writeModel(client, storeId, options.model);
  return { storeId, modelId, storeCreated: found === undefined, modelWritten: !same };
}

/** The id of the store with this name, undefined where none has it. Several of one name are an operator's to choose from. */
export async function findStore(client: OpenFgaClient, name: string): Promise<string | undefined> {
  const ids: string[] = [];
  let page: string | undefined;
  do {
    const { stores, continuation_token } = await client.call((api, options) => api.listStores(100, page, name, options));
    // A server older than the name filter answers every store.
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
    `there is no authorization store named ${name}: make it with \`appserver authz bootstrap\`, or name the right one`,
  );
}

export async function latestModel(client: OpenFgaClient, storeId: string): Promise<AuthorizationModel | undefined> {
  const page = await client.call((api, options) => api.readAuthorizationModels(storeId, 1, undefined, options));
  return page.authorization_models[0];
}

async function createStore(client: OpenFgaClient, name: string): Promise<string> {
  // Not repeatable: a second attempt after a lost answer would leave two stores of one name.
  const { id } = await client.call((api, options) => api.createStore({ name }, options), { repeatable: false });
  return id;
}

async function writeModel(client: OpenFgaClient, storeId: string, model: OpenFgaModel): Promise<string> {
  // The transformer of the model language writes null where there is nothing, which the API does not have.
  const body: WriteAuthorizationModelRequest = JSON.parse(JSON.stringify(model), (_, value) => value ?? undefined);
  const written = await client.call((api, options) => api.writeAuthorizationModel(storeId, body, options));
  return written.authorization_model_id;
}
