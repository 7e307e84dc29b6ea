import { isDeepStrictEqual } from "node:util";
import type { Clock, Logger } from "@appserver/kernel";
import {
  type AppNetworkSpec,
  type AppNetworkView,
  ContainerError,
  type ContainerNetworks,
  type ContainerSpec,
  containerLabels,
  isSameOwner,
  ownerOf as ownerText,
} from "@appserver/kernel/ports";
import { asContainerError, ifMissing, isConflict } from "./container-errors.ts";
import { labelsOf } from "./container-view.ts";
import { eventually } from "./eventually.ts";
import type { KubernetesClient } from "./kubernetes-client.ts";
import { Mirror } from "./mirror.ts";
import { appPolicy, installationPolicy, type NetworkPolicy, type NetworkRules, type NewPolicy } from "./network-policies.ts";
import { objectName, policyName } from "./object-names.ts";
import { type Deployment, managedBy, managedSelector, networkAnnotation } from "./objects.ts";

interface AppNetworksDeps {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly namespace: string;
  readonly rules: NetworkRules;
  readonly deployments: () => Promise<readonly Deployment[]>;
}

const jsonPatch = "application/json-patch+json";
const removalMs = 10_000;

/**
 * The networks of apps as NetworkPolicies: one for all pods of an installation, and one for those of each app. Policies need no range of
 * addresses, and the platform's pods have a label in them.
 */
export class AppNetworks implements ContainerNetworks {
  readonly #client: KubernetesClient;
  readonly #clock: Clock;
  readonly #namespace: string;
  readonly #rules: NetworkRules;
  readonly #deployments: AppNetworksDeps["deployments"];
  readonly #path: string;
  readonly #policies: Mirror<NetworkPolicy>;

  constructor({ client, clock, logger, namespace, rules, deployments }: AppNetworksDeps) {
    this.#client = client;
    this.#clock = clock;
    this.#namespace = namespace;
    this.#rules = rules;
    this.#deployments = deployments;
    this.#path = `/apis/networking.k8s.io/v1/namespaces/${namespace}/networkpolicies`;
    this.#policies = new Mirror({ client, clock, logger, path: this.#path, labelSelector: managedSelector });
  }

  /** Makes the policy of the installation too, so that no pod of the app starts without it. */
  async ensure({ name, labels }: AppNetworkSpec): Promise<AppNetworkView> {
    await this.#ensureInstallation(labels[containerLabels.instance] ?? "");
    return viewOf(await this.#ensure(appPolicy(name, labels, this.#namespace), name));
  }

  async remove({ id, name }: Pick<AppNetworkView, "id" | "name">): Promise<void> {
    const object = objectName(name);
    const policy = await this.#find(object);
    if (policy?.metadata.uid !== id) return;
    const user = (await this.#deployments()).find((deployment) => isSameOwner(labelsOf(deployment), labelsOf(policy)));
    if (user) throw new ContainerError("other", `network ${name}: ${user.metadata.name} is still there`);
    await this.#delete(policy);
    const isGone = async (): Promise<boolean> => (await this.#find(object))?.metadata.uid !== id;
    await eventually(this.#clock, isGone, { ms: removalMs, what: `the network ${name} is removed` });
  }

  async list(labels: Readonly<Record<string, string>>): Promise<readonly AppNetworkView[]> {
    const wanted = Object.entries(labels);
    return (await this.#all())
      .filter(({ metadata }) => metadata.annotations?.[networkAnnotation] !== undefined)
      .map(viewOf)
      .filter((network) => wanted.every(([label, value]) => network.labels[label] === value));
  }

  /** The policy of the installation lets them in by their label. Corrects it if its options, or another program, have changed it. */
  async connectGateways(instance: string): Promise<number> {
    await this.#ensureInstallation(instance);
    return 0;
  }

  /** Returns whether a container is in a network of these. */
  async has({ network, labels }: Pick<ContainerSpec, "network" | "labels">): Promise<boolean> {
    const policy = await this.#find(objectName(network));
    return policy !== undefined && isSameOwner(labelsOf(policy), labels);
  }

  /** Removes the policy of an installation, which no longer has pods. */
  async removeInstallation(instance: string): Promise<void> {
    const policy = await this.#find(policyName(instance));
    if (policy && isOwn(policy, { [containerLabels.instance]: instance, ...managedBy })) await this.#delete(policy);
  }

  async close(): Promise<void> {
    await this.#policies.close();
  }

  async #ensureInstallation(instance: string): Promise<void> {
    await this.#ensure(installationPolicy(instance, this.#namespace, this.#rules), `the installation ${instance}`);
  }

  /** Creates a policy, or corrects the rules of one of the same owner. */
  async #ensure(wanted: NewPolicy, subject: string): Promise<NetworkPolicy> {
    const known = await this.#find(wanted.metadata.name);
    if (known && isOwn(known, wanted.metadata.labels)) return await this.#correct(known, wanted, subject);
    try {
      return this.#kept(await this.#client.call<NetworkPolicy>("POST", this.#path, { body: wanted }));
    } catch (error) {
      const holder = isConflict(error) ? await this.#client.find<NetworkPolicy>(this.#pathOf(wanted)) : undefined;
      if (!holder) throw asContainerError(subject, error);
      if (!isOwn(holder, wanted.metadata.labels)) throw inUse(holder);
      return await this.#correct(this.#kept(holder), wanted, subject);
    }
  }

  async #correct(found: NetworkPolicy, wanted: NewPolicy, subject: string): Promise<NetworkPolicy> {
    if (isDeepStrictEqual(found.spec, wanted.spec)) return found;
    const body = [
      { op: "test", path: "/metadata/uid", value: found.metadata.uid },
      { op: "replace", path: "/spec", value: wanted.spec },
    ];
    try {
      const path = this.#pathOf(wanted);
      return this.#kept(await this.#client.call<NetworkPolicy>("PATCH", path, { contentType: jsonPatch, body }));
    } catch (error) {
      throw asContainerError(subject, error);
    }
  }

  async #delete({ metadata: { name, uid } }: NetworkPolicy): Promise<void> {
    try {
      await this.#client.call("DELETE", `${this.#path}/${name}`, { body: { preconditions: { uid } } }).catch(ifMissing);
    } catch (error) {
      if (!isConflict(error)) throw asContainerError(`the policy ${name}`, error);
    }
  }

  #pathOf({ metadata }: NewPolicy): string {
    return `${this.#path}/${metadata.name}`;
  }

  #kept(policy: NetworkPolicy): NetworkPolicy {
    this.#policies.put(policy);
    return policy;
  }

  async #find(object: string): Promise<NetworkPolicy | undefined> {
    return await this.#policies.get(object).catch(unreadable);
  }

  async #all(): Promise<readonly NetworkPolicy[]> {
    return await this.#policies.all().catch(unreadable);
  }
}

function unreadable(error: unknown): never {
  throw asContainerError("the policies of networks", error);
}

/** Compares the labels that name the owner: the policy of an installation has no app. */
function isOwn(policy: NetworkPolicy, wanted: NewPolicy["metadata"]["labels"] = {}): boolean {
  const labels = labelsOf(policy);
  const ofOwner = [containerLabels.instance, containerLabels.appId, ...Object.keys(managedBy)];
  return ofOwner.every((label) => labels[label] === wanted[label]);
}

function inUse(policy: NetworkPolicy): ContainerError {
  const owner = ownerText(labelsOf(policy));
  return new ContainerError("name_conflict", `the name ${policy.metadata.name} of a policy is in use by ${owner}`);
}

function viewOf(policy: NetworkPolicy): AppNetworkView {
  const { uid, name, annotations } = policy.metadata;
  return { id: uid, name: annotations?.[networkAnnotation] ?? name, labels: labelsOf(policy) };
}
