export { type Connection, platformNamespace, readConnection } from "./connection.ts";
export { KubernetesClient, KubernetesError } from "./kubernetes-client.ts";
export { KubernetesRuntime, type KubernetesRuntimeOptions } from "./kubernetes-runtime.ts";
export { checkPolicies } from "./policy-check.ts";
