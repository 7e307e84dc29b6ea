import { defineDriver, types } from "@appserver/driver";
import { SystemClock, silentLogger } from "@appserver/kernel";
import { destination } from "./destination.ts";
import { maxReplicas } from "./scaling.ts";

export const driver = defineDriver({
  family: "containers",
  version: 1,
  name: "kubernetes",
  doc: "a Kubernetes cluster",
  maxReplicas,
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
      platformNamespace: {
        env: "APPSERVER_KUBERNETES_PLATFORM_NAMESPACE",
        yaml: "platform_namespace",
        type: types.text,
        doc: "Namespace of the pods labelled `appserver.gateway`, which reach the apps and are reached by them. Default: that of the platform's pod",
      },
      gateways: {
        env: "APPSERVER_KUBERNETES_GATEWAYS",
        yaml: "gateways",
        type: types.listOf(types.network),
        default: "",
        doc: "Addresses and networks from which a platform outside of the cluster reaches the apps",
      },
      egress: {
        env: "APPSERVER_KUBERNETES_EGRESS",
        yaml: "egress",
        type: types.listOf(destination),
        default: "",
        doc: "What apps reach besides the internet and the platform's pods: the server of their databases, and a platform outside of the cluster",
      },
      deniedNetworks: {
        env: "APPSERVER_KUBERNETES_DENIED_NETWORKS",
        yaml: "denied_networks",
        type: types.listOf(types.network),
        default: "",
        doc: "Public addresses and networks that apps do not reach, such as those of the machines and the API server. 0.0.0.0/0 and ::/0: no internet",
      },
      gateImage: {
        env: "APPSERVER_KUBERNETES_GATE_IMAGE",
        yaml: "gate_image",
        type: types.text,
        doc: "Image of the platform, with which each pod waits until its policies apply. Default: none, and an app may reach other pods in its first moments",
      },
    },
  },
  open: async ({ kubeconfig, ...options }, { logger = silentLogger }) => {
    const { KubernetesRuntime, platformNamespace, readConnection } = await import("./index.ts");
    if (options.gateImage === undefined)
      logger.warn({}, "kubernetes: no kubernetes.gate_image: apps may start before their policies apply");
    const own = { platformNamespace: options.platformNamespace ?? platformNamespace() };
    return new KubernetesRuntime({
      ...options,
      ...own,
      connection: readConnection(kubeconfig),
      clock: new SystemClock(),
      logger,
    });
  },
  networkProblem: async ({ kubeconfig, ...options }) => {
    const { checkPolicies, readConnection } = await import("./index.ts");
    return await checkPolicies({ ...options, connection: readConnection(kubeconfig) });
  },
  unreachableHint: ({ namespace, kubeconfig }) =>
    `The cluster is that of ${kubeconfig ?? "the service account of this pod"}, and the apps are in the namespace ${namespace}.`,
});
