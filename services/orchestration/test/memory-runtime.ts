import type { LogLine } from "@appserver/kernel";
import {
  ContainerError,
  type ContainerFile,
  type ContainerNetworks,
  type ContainerRuntime,
  type ContainerSpec,
  type ContainerView,
  type EngineAbilities,
  type LogRequest,
  plainAbilities,
  singleInstance,
} from "@appserver/kernel/ports";

/** An engine in memory, to test decisions only. Other tests cover the behaviour of real engines. */
export class MemoryRuntime implements ContainerRuntime {
  readonly driver = "memory";
  readonly abilities: EngineAbilities = { ...plainAbilities, outlivesProcess: true };
  /** Absent unless a test sets it. */
  networks?: ContainerNetworks;
  readonly containers = new Map<string, ContainerView>();
  readonly calls: string[] = [];
  /** By container id: texts by file name. */
  readonly files = new Map<string, Readonly<Record<string, string>>>();
  /** Of all containers, in the order of their creation. */
  readonly specs: ContainerSpec[] = [];
  /** Errors by operation name. The operation throws its error once. */
  readonly failures = new Map<string, unknown>();
  /** Throws before the call with this number (from 1), to simulate a kill between two steps. */
  killAtCall = 0;
  kills = 0;
  onKill: () => void = () => {};
  pulling: ((signal: AbortSignal) => Promise<void>) | undefined;
  #created = 0;

  async ping(): Promise<void> {}
  async ensureNetwork(): Promise<void> {}

  async networkGateway(): Promise<undefined> {}
  async close(): Promise<void> {}
  async stats(): Promise<undefined> {}
  log = "";
  async *logs(_name: string, _request: LogRequest): AsyncGenerator<readonly LogLine[]> {
    const texts = this.log.split("\n").filter((text) => text !== "");
    yield texts.map((text) => ({ time: "2026-01-01T00:00:00.000000000Z", stream: "stdout", text, isCut: false }));
  }

  async pull(image: string, { signal }: { signal: AbortSignal }): Promise<{ digest: string }> {
    this.call(`pull ${image}`);
    await this.pulling?.(signal);
    return { digest: image.split("@")[1] ?? "sha256:abc" };
  }

  async create(spec: ContainerSpec): Promise<ContainerView> {
    this.call(`create ${spec.name}`);
    const existing = this.containers.get(spec.name);
    if (existing) return existing;
    const { name, labels, image } = spec;
    this.specs.push(spec);
    for (const each of spec.storage ?? []) {
      const key = `${labels["appserver.app-id"]} ${each.name}`;
      this.stored.set(key, this.stored.get(key) ?? 0);
    }
    const id = `c${++this.#created}`;
    return this.put({ id, name, labels, image, fingerprint: id, status: "created", wanted: 0, instances: [] });
  }

  async writeFiles(name: string, files: readonly ContainerFile[]): Promise<void> {
    this.call(`write ${name}`);
    const { id } = this.get(name);
    const written = Object.fromEntries(files.map((file) => [file.name, file.text]));
    this.files.set(id, { ...this.files.get(id), ...written });
  }

  async start(name: string): Promise<ContainerView> {
    this.call(`start ${name}`);
    return this.put({ ...this.get(name), status: "running", endpoint: `http://${name}:3000` });
  }

  async stop(name: string): Promise<void> {
    this.call(`stop ${name}`);
    this.end(name, 143);
  }

  async restart(name: string): Promise<ContainerView> {
    await this.stop(name);
    return await this.start(name);
  }

  async remove(name: string): Promise<void> {
    this.call(`remove ${name}`);
    this.containers.delete(name);
  }

  async rename(name: string, newName: string): Promise<ContainerView> {
    this.call(`rename ${name} ${newName}`);
    const renamed = this.containers.get(newName);
    if (renamed && !this.containers.has(name)) return renamed;
    if (renamed) throw new ContainerError("name_conflict", `${newName} exists`);
    const container = this.get(name);
    this.containers.delete(name);
    return this.put({ ...container, name: newName });
  }

  async inspect(name: string): Promise<ContainerView | undefined> {
    return this.containers.get(name);
  }

  /** Sizes by app id and name of storage. */
  readonly stored = new Map<string, number>();

  async storage({ instance, appId: wanted }: { readonly instance: string; readonly appId?: string }) {
    this.call("storage");
    const found = [...this.stored].map(([key, usedBytes]) => {
      const [appId = "", name = ""] = key.split(" ");
      return { instance, appId, name, createdAt: new Date(0), usedBytes };
    });
    return found.filter(({ appId }) => wanted === undefined || appId === wanted);
  }

  readStorage(): AsyncIterable<Uint8Array> {
    throw new Error("not kept here");
  }

  async writeStorage(): Promise<void> {
    throw new Error("not kept here");
  }

  async removeStorage({ appId }: { readonly appId: string }, name = ""): Promise<void> {
    this.call(`removeStorage ${appId} ${name}`);
    for (const key of this.stored.keys()) if (key.startsWith(`${appId} ${name}`)) this.stored.delete(key);
  }

  async copyStorage(from: { readonly appId: string }, to: { readonly appId: string }, name: string): Promise<number> {
    this.call(`copyStorage ${from.appId} ${to.appId} ${name}`);
    const size = this.stored.get(`${from.appId} ${name}`);
    if (size === undefined) throw new ContainerError("not_found", `no storage ${name}`);
    this.stored.set(`${to.appId} ${name}`, size);
    return size;
  }

  async list(): Promise<readonly ContainerView[]> {
    return [...this.containers.values()];
  }

  /** Simulates a change by another program. */
  change(name: string, fingerprint: string): void {
    this.put({ ...this.get(name), fingerprint });
  }

  /** Simulates the end of the process. */
  end(name: string, exitCode: number): void {
    const { endpoint: _gone, ...container } = this.get(name);
    this.put({ ...container, status: "exited", exitCode });
  }

  protected get(name: string): ContainerView {
    const container = this.containers.get(name);
    if (!container) throw new ContainerError("not_found", `no container ${name}`);
    return container;
  }

  /** Stores the container with its instances. */
  protected put(container: ContainerView): ContainerView {
    const stored = { ...container, ...singleInstance(container) };
    this.containers.set(container.name, stored);
    return stored;
  }

  protected call(call: string): void {
    this.calls.push(call);
    if (this.calls.length === this.killAtCall) {
      this.kills += 1;
      this.onKill();
      throw new Error("killed");
    }
    const [operation = ""] = call.split(" ");
    const failure = this.failures.get(operation);
    this.failures.delete(operation);
    if (failure) throw failure;
  }
}
