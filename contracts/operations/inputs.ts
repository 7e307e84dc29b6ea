/** Names of inputs on one transport, each with the arguments of GraphQL that it can stand for. */
export type InputNames = Readonly<Record<string, readonly string[]>>;

/** Fields of gRPC requests that have another name than the argument of GraphQL. */
export const grpcInputNames: InputNames = {
  appId: ["appID"],
  values: ["settings"],
};

/** Parameters and properties of REST that have another name than the argument of GraphQL. */
export const restInputNames: InputNames = {
  id: ["name", "appName", "appID"],
  name: ["hookName"],
  asset: ["assetName"],
  scope: ["scopes"],
  type: ["types"],
  app: ["appName"],
  values: ["settings"],
};

/** Inputs that one transport has and another lacks, by operation, with the reason. */
export const unsharedInputs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  apps: { appNames: "as `names`", state: "as `states` with one state" },
  updateSettings: { expectedVersion: "`If-Match` of REST" },
  deleteSettings: { expectedVersion: "`If-Match` of REST" },
};
