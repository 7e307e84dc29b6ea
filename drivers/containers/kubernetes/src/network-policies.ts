import { isIPv6 } from "node:net";
import { privateNetworks, reservedNetworks } from "@appserver/kernel";
import { containerLabels } from "@appserver/kernel/ports";
import type { Destination } from "./destination.ts";
import type { KubernetesObject, ObjectMeta } from "./mirror.ts";
import { objectName, policyName } from "./object-names.ts";
import { managedBy, networkAnnotation, splitLabels } from "./objects.ts";

/** The networks that a pod reaches or is reached from, as the operator chose them. */
export interface NetworkRules {
  /** Namespace of the pods labelled `appserver.gateway`. Undefined: the platform has no pods. */
  readonly platformNamespace?: string | undefined;
  /** Networks from which the platform reaches the apps. */
  readonly gateways?: readonly string[];
  /** What apps reach over TCP besides the internet and the platform. */
  readonly egress?: readonly Destination[];
  /** What apps do not reach, although it is no private network. */
  readonly deniedNetworks?: readonly string[];
}

/** The used fields of a NetworkPolicy. */
export interface NetworkPolicy extends KubernetesObject {
  readonly spec: object;
}

/** A NetworkPolicy to create. */
export interface NewPolicy {
  readonly apiVersion: "networking.k8s.io/v1";
  readonly kind: "NetworkPolicy";
  readonly metadata: Pick<ObjectMeta, "name" | "labels" | "annotations"> & { readonly namespace: string };
  readonly spec: object;
}

/** Networks that no app reaches: also the addresses of machines for themselves, and those of IPv6 that contain addresses of IPv4. */
const closedNetworks = [
  ...privateNetworks,
  ...reservedNetworks,
  ...["127.0.0.0/8", "::/127", "64:ff9b::/96", "64:ff9b:1::/48", "fe80::/10"],
];

/**
 * Returns the policy for all pods of an installation: the platform reaches them, and they reach it, DNS and the internet. Without one of
 * the same app they reach no other pod.
 */
export function installationPolicy(instance: string, namespace: string, rules: NetworkRules): NewPolicy {
  const { platformNamespace, gateways = [], egress = [], deniedNetworks = [] } = rules;
  const pods = platformNamespace === undefined ? [] : [gatewayPods(instance, platformNamespace)];
  const sources = [...pods, ...gateways.map((network) => ({ ipBlock: { cidr: cidrOf(network) } }))];
  return policy(
    policyName(instance),
    namespace,
    { [containerLabels.instance]: instance },
    {},
    {
      podSelector: { matchLabels: { [containerLabels.instance]: instance } },
      policyTypes: ["Ingress", "Egress"],
      // A rule without sources would let in everything.
      ...(sources.length > 0 ? { ingress: [{ from: sources }] } : {}),
      egress: [
        { ports: ["UDP", "TCP"].map((protocol) => ({ protocol, port: 53 })) },
        ...(pods.length > 0 ? [{ to: pods }] : []),
        ...egress.map(({ network, port }) => ({
          ports: [{ protocol: "TCP", port }],
          to: [{ ipBlock: { cidr: cidrOf(network) } }],
        })),
        ...internet(deniedNetworks.map(cidrOf)),
      ],
    },
  );
}

/** Returns the policy that lets the pods of one app reach each other. */
export function appPolicy(name: string, given: Readonly<Record<string, string>>, namespace: string): NewPolicy {
  const { labels, annotations } = splitLabels(given);
  const own = [containerLabels.instance, containerLabels.appId].map((label) => [label, given[label] ?? ""]);
  const podSelector = { matchLabels: Object.fromEntries(own) };
  return policy(
    objectName(name),
    namespace,
    labels,
    { ...annotations, [networkAnnotation]: name },
    {
      podSelector,
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ from: [{ podSelector }] }],
      egress: [{ to: [{ podSelector }] }],
    },
  );
}

function policy(
  name: string,
  namespace: string,
  labels: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>>,
  spec: object,
): NewPolicy {
  const metadata = { name, namespace, labels: { ...labels, ...managedBy }, annotations };
  return { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata, spec };
}

function gatewayPods(instance: string, namespace: string): object {
  return {
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    podSelector: { matchLabels: { [containerLabels.gateway]: instance } },
  };
}

/** Returns a rule for all addresses that are not denied, or none if all are. */
function internet(denied: readonly string[]): readonly object[] {
  const except = [...new Set([...closedNetworks, ...denied])];
  const to = ["0.0.0.0/0", "::/0"].flatMap((cidr) => {
    const others = except.filter((network) => network.includes(":") === cidr.includes(":"));
    return others.some((network) => network.endsWith("/0")) ? [] : [{ ipBlock: { cidr, except: others } }];
  });
  return to.length === 0 ? [] : [{ to }];
}

/** Returns an address as a network of one. */
function cidrOf(network: string): string {
  if (network.includes("/")) return network;
  return `${network}/${isIPv6(network) ? 128 : 32}`;
}
