export { type Connection, readConnection } from "./connection.ts";
export { KubernetesClient, KubernetesError } from "./kubernetes-client.ts";
export { KubernetesRuntime, type KubernetesRuntimeOptions } from "./kubernetes-runtime.ts";
