/** The network of the containers of one app (docs/interface/containers.md#network). */
export interface AppNetworkSpec {
  readonly name: string;
  /** With the labels of the owner: instance and app id. */
  readonly labels: Readonly<Record<string, string>>;
  /** The IPv4 range from which the network gets a free /27: `10.213.0.0/16`. An engine whose networks have no ranges ignores it. */
  readonly pool: string;
}

export interface AppNetworkView {
  readonly id: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Separate networks for the apps of an installation. Their containers reach the internet and the platform, and no container in
 * another of these networks. Gateways are the containers labelled `appserver.gateway=<instance>`: they are in all of them. Every
 * operation is idempotent and may run in several orchestrators at once. Throws ContainerError.
 */
export interface ContainerNetworks {
  /**
   * Creates the network unless it exists, and connects the running gateways. The search for a free /27 starts at a place that
   * the app id determines. Rejects with reason `no_free_network` if the pool has none left, and with `name_conflict` if the name is in
   * use by a network with other owner labels.
   */
  ensure(spec: AppNetworkSpec): Promise<AppNetworkView>;
  /**
   * Disconnects every container from the network, stopped ones included, and removes it. Rejects while a container of the app
   * that owns the network is in it. A network that does not exist counts as removed.
   */
  remove(network: Pick<AppNetworkView, "id" | "name">): Promise<void>;
  /** Returns the networks of apps that have all the labels. */
  list(labels: Readonly<Record<string, string>>): Promise<readonly AppNetworkView[]>;
  /**
   * Connects each running gateway of the instance to each network of its apps, under the names that the gateway has in its other
   * networks. An engine whose rules name gateways by their label corrects these rules, if they have changed. Returns the number of new connections. Tries all of them before it rejects.
   */
  connectGateways(instance: string): Promise<number>;
}
