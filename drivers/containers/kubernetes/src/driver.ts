import { defineDriver, types } from "@appserver/driver";
import { SystemClock, silentLogger } from "@appserver/kernel";

export const driver = defineDriver({
  family: "containers",
  version: 1,
  name: "kubernetes",
  doc: "a Kubernetes cluster",
  options: {
    yaml: "kubernetes",
    doc: "The cluster that runs the apps (docs/interface/containers.md#drivers).",
    options: {
      namespace: {
        env: "APPSERVER_KUBERNETES_NAMESPACE",
        yaml: "namespace",
        type: types.text,
        default: "appserver-apps",
        doc: "Namespace of the apps. Nothing else may be in it",
      },
      kubeconfig: {
        env: "APPSERVER_KUBERNETES_KUBECONFIG",
        yaml: "kubeconfig",
        type: types.text,
        doc: "File with the address of the cluster and a credential. Default: the service account of the platform's pod",
      },
      storageClass: {
        env: "APPSERVER_KUBERNETES_STORAGE_CLASS",
        yaml: "storage_class",
        type: types.text,
        doc: "Class of the volumes of apps. Default: that of the cluster",
      },
      drainMs: {
        env: "APPSERVER_KUBERNETES_DRAIN",
        yaml: "drain",
        type: types.durationOrZero,
        default: "5s",
        doc: "How long an instance that ends still takes requests, until the proxies of all machines know that it ends",
      },
      pullSecrets: {
        env: "APPSERVER_KUBERNETES_PULL_SECRETS",
        yaml: "pull_secrets",
        type: types.listOf(types.text),
        default: "",
        doc: "Secrets of the namespace with which the machines pull images",
      },
      plainRegistries: {
        env: "APPSERVER_KUBERNETES_PLAIN_REGISTRIES",
        yaml: "plain_registries",
        type: types.listOf(types.text),
        default: "",
        doc: "Registries that are asked over plain HTTP, as host:port",
      },
    },
  },
  open: async ({ kubeconfig, ...options }, { logger = silentLogger }) => {
    const { KubernetesRuntime, readConnection } = await import("./index.ts");
    return new KubernetesRuntime({ ...options, connection: readConnection(kubeconfig), clock: new SystemClock(), logger });
  },
  unreachableHint: ({ namespace, kubeconfig }) =>
    `The cluster is that of ${kubeconfig ?? "the service account of this pod"}, and the apps are in the namespace ${namespace}.`,
});
