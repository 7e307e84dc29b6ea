import {
  type AppNetworkSpec,
  type AppNetworkView,
  ContainerError,
  type ContainerNetworks,
  containerLabels,
} from "@appserver/kernel/ports";
import type { MemoryRuntime } from "./memory-runtime.ts";

/** Networks in memory. A network that still has a container of its app cannot be removed, as on an engine. */
export class MemoryNetworks implements ContainerNetworks {
  readonly networks = new Map<string, AppNetworkView>();
  readonly #runtime: MemoryRuntime;
  /** Throws before the call with this number (from 1), to simulate a kill between two steps. */
  killAtCall = 0;
  calls = 0;
  /** Thrown once by `ensure`. */
  failure: unknown;
  links = 0;

  constructor(runtime: MemoryRuntime) {
    this.#runtime = runtime;
  }

  async ensure({ name, labels }: AppNetworkSpec): Promise<AppNetworkView> {
    this.#call();
    const { failure } = this;
    this.failure = undefined;
    if (failure) throw failure;
    const network = this.networks.get(name) ?? { id: `n${this.calls}`, name, labels };
    this.networks.set(name, network);
    return network;
  }

  async remove({ name }: Pick<AppNetworkView, "id" | "name">): Promise<void> {
    this.#call();
    const owner = this.networks.get(name)?.labels[containerLabels.appId];
    const users = [...this.#runtime.containers.values()].filter(({ labels }) => labels[containerLabels.appId] === owner);
    if (users.length > 0) throw new ContainerError("other", `${name} is in use`);
    this.networks.delete(name);
  }

  async list(labels: Readonly<Record<string, string>>): Promise<readonly AppNetworkView[]> {
    const wanted = Object.entries(labels);
    return [...this.networks.values()].filter((network) => wanted.every(([name, value]) => network.labels[name] === value));
  }

  async connectGateways(): Promise<number> {
    this.links += 1;
    return 0;
  }

  #call(): void {
    this.calls += 1;
    if (this.calls === this.killAtCall) throw new Error("killed");
  }
}
