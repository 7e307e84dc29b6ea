import { type BootstrapResult, isSameModel, type ModelDefinition } from "@appserver/driver";
import { AppError } from "@appserver/kernel";
import type { OpenFgaClient } from "./openfga-client.ts";

/** An authorization model as the server returns it. */
export interface StoredModel {
  readonly id: string;
  readonly type_definitions?: readonly { readonly type: string }[];
}

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
export async function bootstrapStore(
  client: OpenFgaClient,
  options: BootstrapOptions,
): Promise<BootstrapResult & { readonly storeId: string }> {
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
    const query = { page_size: 100, continuation_token: page, name };
    const found = await client.call<StoresPage>({ path: "/stores", query });
    // A server without the name filter (an older version) returns every store.
    ids.push(...(found.stores ?? []).filter((store) => store.name === name).map(({ id }) => id));
    page = found.continuation_token || undefined;
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

export async function latestModel(client: OpenFgaClient, storeId: string): Promise<StoredModel | undefined> {
  const path = `${storePath(storeId)}/authorization-models`;
  const page = await client.call<{ authorization_models: readonly StoredModel[] }>({ path, query: { page_size: 1 } });
  return page.authorization_models?.[0];
}

/** Returns the path of a store's requests. */
export function storePath(storeId: string): string {
  return `/stores/${encodeURIComponent(storeId)}`;
}

interface StoresPage {
  readonly stores: readonly { readonly id: string; readonly name: string }[];
  readonly continuation_token: string;
}

async function createStore(client: OpenFgaClient, name: string): Promise<string> {
  // Not repeatable: a second attempt after a lost response would create a second store of the same name.
  const { id } = await client.call<{ id: string }>({ path: "/stores", body: { name } }, { repeatable: false });
  return required(id);
}

async function writeModel(client: OpenFgaClient, storeId: string, model: ModelDefinition): Promise<string> {
  // The transformer of the model language writes null for absent members, which the API does not accept.
  const body: object = JSON.parse(JSON.stringify(model), (_, value) => value ?? undefined);
  const path = `${storePath(storeId)}/authorization-models`;
  const written = await client.call<{ authorization_model_id: string }>({ path, body });
  return required(written.authorization_model_id);
}

function required(id: string | undefined): string {
  if (id !== undefined) return id;
  throw new AppError("SERVICE_UNAVAILABLE", "the response of the authorization service has no id", {
    dependency: "authorization",
  });
}
