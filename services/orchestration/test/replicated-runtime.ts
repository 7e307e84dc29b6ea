import { type ContainerView, type EngineAbilities, type InstanceView, plainAbilities } from "@appserver/kernel/ports";
import type { FakeClock } from "@appserver/testing/kit";
import { MemoryRuntime } from "./memory-runtime.ts";

/** An engine in memory with several instances of a container, which the orchestrator checks and starts again, as on Docker. */
export class ReplicatedRuntime extends MemoryRuntime {
  override readonly abilities: EngineAbilities = { ...plainAbilities, outlivesProcess: true, maxReplicas: 8 };
  /** Of the times of instances. The test sets it. */
  clock: FakeClock | undefined;

  override async start(name: string, replicas = 1): Promise<ContainerView> {
    this.call(`start ${name} ${replicas}`);
    const known = this.get(name).instances;
    return this.#run(
      name,
      Array.from({ length: replicas }, (_, index) => {
        const instance = known[index];
        return instance?.address === undefined ? this.#instance(index + 1) : instance;
      }),
    );
  }

  override async restart(name: string): Promise<ContainerView> {
    this.call(`restart ${name}`);
    const count = Math.max(1, this.get(name).instances.length);
    return this.#run(
      name,
      Array.from({ length: count }, (_, index) => this.#instance(index + 1)),
    );
  }

  /** The instance with this number, from 1, ends by itself. */
  endOne(name: string, number: number): void {
    const container = this.get(name);
    const at = new Date(this.clock?.now() ?? 0);
    const instances = container.instances.map((instance, index): InstanceView => {
      const { address: _none, ...others } = instance;
      return index + 1 === number ? { ...others, isReady: false, lastEnd: { at, exitCode: 3, cause: "exit" } } : instance;
    });
    this.#run(name, instances);
  }

  protected override put(container: ContainerView): ContainerView {
    const stored = container.status === "running" ? container : { ...container, wanted: 0, instances: [] };
    this.containers.set(container.name, stored);
    return stored;
  }

  #run(name: string, instances: readonly InstanceView[]): ContainerView {
    const { endpoint: _other, ...container } = this.get(name);
    const address = instances.find((instance) => instance.address !== undefined)?.address;
    const endpoint = address === undefined ? {} : { endpoint: `http://${address}` };
    return this.put({ ...container, ...endpoint, status: "running", wanted: instances.length, instances });
  }

  #instance(number: number): InstanceView {
    const startedAt = new Date(this.clock?.now() ?? 0);
    return { id: `i${number}`, address: `i${number}:3000`, isReady: true, restarts: 0, startedAt };
  }
}
