import { test } from "node:test";
import type { LogLine } from "@appserver/kernel";
import type { ContainerView, EngineAbilities, InstanceEnd, InstanceView, LogRequest } from "@appserver/kernel/ports";
import { MemoryRuntime } from "./memory-runtime.ts";

const app = "app-com.example.notes";

/** An engine in memory that restarts instances, checks their health and pulls images itself, as a cluster does. */
export class SupervisingRuntime extends MemoryRuntime {
  override readonly abilities: EngineAbilities = {
    outlivesProcess: true,
    restarts: "engine",
    health: "engine",
    pulls: "atStart",
    maxReplicas: 3,
    keepsOutputOfStopped: false,
    copiesStorage: true,
  };
  /** How a new instance looks. By default it is ready at once. */
  fresh: Pick<InstanceView, "isReady" | "startedAt" | "problem"> = { isReady: true, startedAt: new Date(0) };
  /** What instances printed before they were restarted. */
  endedLog = "";
  #made = 0;

  override async start(name: string, replicas = 1): Promise<ContainerView> {
    this.call(`start ${name} ${replicas}`);
    const { instances } = this.get(name);
    return this.#run(name, [...instances, ...this.#instances(replicas - instances.length)].slice(0, replicas));
  }

  override async restart(name: string): Promise<ContainerView> {
    this.call(`restart ${name}`);
    return this.#run(name, this.#instances(Math.max(1, this.get(name).wanted)));
  }

  override end(name: string): void {
    const { endpoint: _gone, ...container } = this.get(name);
    this.put({ ...container, status: "exited", wanted: 0, instances: [] });
  }

  override async *logs(_name: string, { ended }: LogRequest): AsyncGenerator<readonly LogLine[]> {
    const texts = (ended ? this.endedLog : this.log).split("\n").filter((text) => text !== "");
    yield texts.map((text) => ({ time: "2026-01-01T00:00:00.000000000Z", stream: "stdout", text, isCut: false }));
  }

  /** The app ended, and the engine has restarted it. */
  crash(
    end: Omit<InstanceEnd, "at"> & Partial<InstanceEnd> = { exitCode: 1, cause: "exit" },
    { times = 1, isReady = false } = {},
  ): void {
    this.update((instance) => ({
      ...instance,
      restarts: instance.restarts + times,
      lastEnd: { at: new Date(1_000), ...end },
      isReady,
    }));
  }

  /** Changes every instance. */
  update(change: (instance: InstanceView) => InstanceView, changes: Partial<ContainerView> = {}): void {
    const container = this.get(app);
    this.put({ ...container, instances: container.instances.map(change), ...changes });
  }

  protected override put(container: ContainerView): ContainerView {
    this.containers.set(container.name, container);
    return container;
  }

  #run(name: string, instances: readonly InstanceView[]): ContainerView {
    const endpoint = `http://${name}:3000`;
    return this.put({ ...this.get(name), status: "running", endpoint, wanted: instances.length, instances });
  }

  #instances(count: number): readonly InstanceView[] {
    return Array.from({ length: Math.max(0, count) }, () => {
      const number = ++this.#made;
      return { id: `i${number}`, place: "node-1", address: `10.0.0.${number}:3000`, restarts: 0, ...this.fresh };
    });
  }
}

/** Declares a test on an engine whose containers the orchestrator supervises, and on one that supervises them itself. */
export function onEachEngine(name: string, run: (runtime: () => MemoryRuntime) => Promise<void>): void {
  test(name, () => run(() => new MemoryRuntime()));
  test(`${name}, on an engine that supervises`, () => run(() => new SupervisingRuntime()));
}
