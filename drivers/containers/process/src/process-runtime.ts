import { join, relative, resolve, sep } from "node:path";
import type { AppProcesses, ProcessImage } from "@appserver/driver";
import type { LogLine } from "@appserver/kernel";
import { withFileLock } from "@appserver/kernel/files";
import {
  ContainerError,
  type ContainerFile,
  type ContainerRuntime,
  type ContainerSpec,
  type ContainerStats,
  type ContainerView,
  checkReplicas,
  type EngineAbilities,
  isSameOwner,
  type LogRequest,
  type PullOptions,
  plainAbilities,
  type StorageOwner,
  type StorageSelection,
  type StorageView,
} from "@appserver/kernel/ports";
import { AppFolders } from "./app-folders.ts";
import { endProcessGroup, findByLogFile, freePort, signalGroup, startAppProcess } from "./app-process.ts";
import { checkName, nameConflict, notFound } from "./container-names.ts";
import { type ContainerRecord, ContainerRecords, isRunning, newRecord } from "./container-record.ts";
import { viewOf } from "./container-view.ts";
import { IdentityFolders } from "./identity-folders.ts";
import { ImageSnapshots } from "./image-snapshots.ts";
import { Outputs } from "./outputs.ts";
import { ProcessImages } from "./process-images.ts";
import { ProcessUsage } from "./process-usage.ts";
import { settledRecord } from "./settled-record.ts";
import { StateFolder } from "./state-folder.ts";

export interface ProcessRuntimeOptions {
  /**
   * Folder for records, locks and logs of the containers, for snapshots of images, and for storage; created if missing. One per
   * installation.
   * If there are snapshots, it must not be below a `node_modules`.
   */
  readonly stateFolder: string;
  /** Returns the image for a reference (without a trailing `@sha256:…`); undefined if there is no such image. */
  readonly images: (image: string) => ProcessImage | undefined;
  /** Returns how a pulled folder runs. Undefined: no registry is asked. */
  readonly pulled?: NonNullable<AppProcesses["pulled"]>;
  /** How many snapshots of an image are kept. Those that a container uses are kept in any case. Default 6. */
  readonly keptSnapshots?: number;
  /** PATH of the apps. Configured explicitly: it is not inherited from this process. */
  readonly path?: string;
  /** Whether `close` ends every container of the state folder. Default false: the next start finds them again. */
  readonly stopOnClose?: boolean;
  /** The output of a stream that is larger than this loses its older half. Default 4 MiB. */
  readonly logCapBytes?: number;
}

const closeGraceMs = 5_000;
/** The precision of the times of log lines. */
const outputCheckMs = 250;

/**
 * Runs apps as child processes, without isolation and limits (docs/interface/containers.md#drivers). PORT is
 * a free port of 127.0.0.1 instead of the spec's port, HOST is 127.0.0.1, and the endpoint is that port for every value of
 * the spec's `endpoint`. APP_IDENTITY_DIR is the folder of the identity. The rest of the environment is the spec's, plus PATH. State is on disk: after a kill the next runtime
 * finds the process of each app and continues with it.
 */
export class ProcessRuntime implements ContainerRuntime {
  readonly driver = "process";
  readonly abilities: EngineAbilities;
  readonly #options: ProcessRuntimeOptions;
  readonly #folder: StateFolder;
  readonly #records: ContainerRecords;
  readonly #images: ProcessImages;
  readonly #folders: AppFolders;
  readonly #identities: IdentityFolders;
  /** Exit codes of the child processes, by container id. */
  readonly #children = new Map<string, Promise<number>>();
  /** Ids of the containers that this runtime is ending. */
  readonly #ending = new Set<string>();
  readonly #changeListeners = new Set<(name: string) => void>();
  readonly #outputs: Outputs;
  readonly #usage = new ProcessUsage();
  readonly #outputCheck: NodeJS.Timeout;

  constructor(options: ProcessRuntimeOptions) {
    this.#options = options;
    this.abilities = { ...plainAbilities, outlivesProcess: !options.stopOnClose };
    this.#folder = new StateFolder(resolve(options.stateFolder));
    this.#records = new ContainerRecords(this.#folder);
    this.#folders = new AppFolders(join(this.#folder.path, "storage"));
    this.#identities = new IdentityFolders(this.#folder.path);
    const snapshots = new ImageSnapshots({
      folder: join(this.#folder.path, "snapshots"),
      limit: options.keptSnapshots ?? 6,
      isUsed: (folder) => this.#records.all().some((record) => this.#folderOf(record) === folder),
    });
    this.#images = new ProcessImages({ ...options, snapshots });
    this.#outputs = new Outputs({ records: this.#records, capBytes: options.logCapBytes ?? 4 * 1024 * 1024, isRunning });
    this.#outputCheck = setInterval(() => this.#outputs.observe(), outputCheckMs).unref();
    if (options.stopOnClose) process.once("exit", this.#killAll);
  }

  async ping(): Promise<void> {
    this.#folder.require();
  }

  async ensureNetwork(): Promise<void> {}

  async networkGateway(): Promise<undefined> {}

  async pull(image: string, options: PullOptions): Promise<{ readonly digest: string }> {
    return { digest: await this.#images.pull(image, options) };
  }

  async create(spec: ContainerSpec): Promise<ContainerView> {
    checkName(spec.name);
    await this.#discardDamaged(spec.name);
    return await this.#images.use(spec.image, async ({ digest, command, cwd }) => {
      // Relative for a snapshot, so that it is found if the state folder was moved.
      const folder = cwd.startsWith(this.#folder.path + sep) ? relative(this.#folder.path, cwd) : resolve(cwd);
      const record = newRecord(spec, { digest, command, cwd: folder });
      this.#folders.make(record);
      // Under the lock: a rename to this name replaces a record that it has not seen.
      const existing = await this.#locked(spec.name, async () => this.#records.add(record));
      if (isSameOwner(existing.labels, spec.labels)) return await this.#view(existing);
      throw nameConflict(existing);
    });
  }

  async writeFiles(name: string, files: readonly ContainerFile[]): Promise<void> {
    await this.#discardDamaged(name);
    await this.#locked(name, async () => {
      const record = this.#records.read(name);
      if (!record) throw notFound(name);
      this.#identities.write(record.id, files);
    });
  }

  async start(name: string, replicas = 1): Promise<ContainerView> {
    checkReplicas(this.driver, this.abilities, replicas);
    await this.#discardDamaged(name);
    return await this.#locked(name, async () => {
      const record = await this.#settled(name);
      if (!record) throw notFound(name);
      return await this.#view(record.status === "started" ? record : await this.#launch(record));
    });
  }

  async stop(name: string, graceMs: number): Promise<void> {
    await this.#discardDamaged(name);
    await this.#locked(name, () => this.#end(name, graceMs));
  }

  async restart(name: string, graceMs: number): Promise<ContainerView> {
    await this.stop(name, graceMs);
    return await this.start(name);
  }

  async remove(name: string): Promise<void> {
    await this.#discardDamaged(name);
    await this.#locked(name, async () => {
      await this.#end(name, 0);
      const record = this.#records.read(name);
      if (record) {
        this.#children.delete(record.id);
        this.#identities.remove(record.id);
        this.#outputs.remove(record.id);
      }
      this.#records.remove(name);
    });
  }

  async rename(name: string, newName: string): Promise<ContainerView> {
    for (const each of [name, newName]) await this.#discardDamaged(each);
    if (name === newName) return await this.#locked(name, async () => await this.#found(name));
    // Always in the same order, so that two renames cannot deadlock.
    const [first, second] = name < newName ? [name, newName] : [newName, name];
    return await this.#locked(first, () =>
      this.#locked(second, async () => {
        const holder = this.#records.read(newName);
        // A killed start is found by its log file, which the rename moves.
        const container = await this.#settled(name);
        if (container && holder) throw nameConflict(holder);
        if (!container && holder?.createdAs !== name) throw notFound(name);
        if (container) {
          this.#records.rename(name, newName);
          this.#outputs.moved(container.id, newName);
        }
        return await this.#found(newName);
      }),
    );
  }

  async inspect(name: string): Promise<ContainerView | undefined> {
    checkName(name);
    await this.#discardDamaged(name);
    const record = this.#records.read(name);
    if (!record) return undefined;
    // Either a start is in progress or it was killed: the lock shows which.
    if (record.status === "starting") return await this.#locked(name, async () => await this.#settledView(name));
    return await this.#view(record);
  }

  async list(labels: Readonly<Record<string, string>>): Promise<readonly ContainerView[]> {
    const found = new Map<string, ContainerView>();
    const inspect = async (names: readonly string[]): Promise<void> => {
      for (const view of await Promise.all(names.map((name) => this.inspect(name)))) if (view) found.set(view.id, view);
    };
    const names = this.#records.names();
    await inspect(names);
    // Containers that another process renamed since the list was read.
    await inspect(this.#records.names().filter((name) => !names.includes(name)));
    const wanted = Object.entries(labels);
    return [...found.values()].filter((view) => wanted.every(([name, value]) => view.labels[name] === value));
  }

  async *logs(name: string, request: LogRequest): AsyncGenerator<readonly LogLine[]> {
    checkName(name);
    const record = this.#records.read(name);
    if (!record) throw notFound(name);
    yield* this.#outputs.read(record, request);
  }

  async stats(name: string): Promise<ContainerStats | undefined> {
    checkName(name);
    const leader = this.#records.read(name)?.process;
    return leader && (await this.#usage.of(leader));
  }

  async close(): Promise<void> {
    clearInterval(this.#outputCheck);
    if (!this.#options.stopOnClose) return;
    const stops = await Promise.allSettled(this.#present().map(({ name }) => this.stop(name, closeGraceMs)));
    // Those whose record was removed.
    await Promise.all(this.#records.leaders.map((leader) => endProcessGroup(leader, closeGraceMs)));
    process.off("exit", this.#killAll);
    const failures = stops.flatMap((stop) => (stop.status === "rejected" ? [stop.reason] : []));
    if (failures.length > 0) throw new AggregateError(failures, "not every container could be stopped");
  }

  async storage(selection: StorageSelection, measure?: { readonly signal: AbortSignal }): Promise<readonly StorageView[]> {
    return await this.#folders.list(selection, measure);
  }

  async removeStorage(owner: StorageOwner, name?: string): Promise<void> {
    await this.#folders.remove(owner, name, this.#records.all());
  }

  readStorage(owner: StorageOwner, name: string): AsyncIterable<Uint8Array> {
    return this.#folders.read(owner, name);
  }

  async writeStorage(owner: StorageOwner, name: string, archive: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#folders.write(owner, name, archive);
  }

  async copyStorage(from: StorageOwner, to: StorageOwner, name: string, signal: AbortSignal): Promise<number> {
    return await this.#folders.copy(from, to, name, { containers: this.#records.all(), signal });
  }

  /** Called when this process exits without a close: it cannot wait for anything. */
  readonly #killAll = (): void => {
    this.#present();
    for (const leader of this.#records.leaders) signalGroup(leader, "SIGKILL");
  };

  /** Returns the records; none if the folder was removed. For callers that must continue then. */
  #present(): readonly ContainerRecord[] {
    try {
      return this.#records.all();
    } catch {
      return [];
    }
  }

  onChange(listener: (name: string) => void): () => void {
    this.#changeListeners.add(listener);
    return () => this.#changeListeners.delete(listener);
  }

  /**
   * Ends the process of a damaged record: without its record the container is unknown, and its process would run forever in
   * parallel with the next one.
   */
  async #discardDamaged(name: string): Promise<void> {
    checkName(name);
    if (!this.#records.isDamaged(name)) return;
    await this.#locked(name, async () => {
      if (!this.#records.isDamaged(name)) return;
      const leader = await findByLogFile(this.#records.logFile(name));
      if (leader) await endProcessGroup(leader, closeGraceMs);
      this.#records.setAside(name);
    });
  }

  async #launch(record: ContainerRecord): Promise<ContainerRecord> {
    const port = await freePort();
    const { process: _old, exitCode: _code, ...rest } = record;
    const starting: ContainerRecord = { ...rest, status: "starting", port, startedAt: new Date().toISOString() };
    // Written first: if this process is killed after the next line, the record still says that a process may exist.
    this.#records.write(starting);
    const environment = {
      ...this.#images.environment(record.image, this.#folderOf(record)),
      ...record.environment,
      ...this.#folders.make(record),
      PORT: String(port),
      HOST: "127.0.0.1",
      APP_IDENTITY_DIR: this.#identities.of(record.id),
      PATH: this.#options.path ?? "/usr/local/bin:/usr/bin:/bin",
    };
    try {
      const app = await startAppProcess({
        command: record.command,
        cwd: this.#folderOf(record),
        environment,
        logFile: this.#records.logFile(record.name),
        errorFile: this.#records.outputFiles(record.name).stderr,
      });
      const started: ContainerRecord = { ...starting, status: "started", process: app.identity };
      this.#children.set(record.id, app.ended);
      void app.ended.then(() => this.#exited(record.id));
      try {
        this.#records.write(started);
      } catch (error) {
        // Without a record, the next start would run a second process.
        signalGroup(app.identity, "SIGKILL");
        throw error;
      }
      return started;
    } catch (cause) {
      this.#folder.require();
      this.#records.write({ ...rest, status: record.status });
      throw new ContainerError("start_failed", `${record.name} did not start: ${String(cause)}`, { cause });
    }
  }

  /** By id: the container may have been renamed since its start. */
  #exited(id: string): void {
    if (this.#ending.has(id)) return;
    // Without its record it has no name under which it could be reported.
    const name = this.#present().find((record) => record.id === id)?.name;
    if (name !== undefined) for (const listener of this.#changeListeners) listener(name);
  }

  async #end(name: string, graceMs: number): Promise<void> {
    const record = await this.#settled(name);
    if (!record?.process) return;
    this.#ending.add(record.id);
    try {
      await endProcessGroup(record.process, graceMs);
      await this.#settled(name);
    } finally {
      this.#ending.delete(record.id);
    }
  }

  /** Call it only under the container's lock. */
  #settled(name: string): Promise<ContainerRecord | undefined> {
    return settledRecord(this.#records, name, (record) => this.#exitCode(record));
  }

  /** Returns the container. Call it only under its lock. */
  async #found(name: string): Promise<ContainerView> {
    const view = await this.#settledView(name);
    if (!view) throw notFound(name);
    return view;
  }

  async #settledView(name: string): Promise<ContainerView | undefined> {
    const record = await this.#settled(name);
    return record && (await this.#view(record));
  }

  /**
   * Returns the exit code. Known only for children of this process: the code of an orphan went to the process that collected
   * it.
   */
  async #exitCode(record: ContainerRecord): Promise<number | undefined> {
    return record.exitCode ?? (await this.#children.get(record.id));
  }

  #view(record: ContainerRecord): Promise<ContainerView> {
    return viewOf(record, () => this.#exitCode(record));
  }

  #folderOf({ cwd }: ContainerRecord): string {
    return resolve(this.#folder.path, cwd);
  }

  async #locked<T>(name: string, work: () => Promise<T>): Promise<T> {
    checkName(name);
    return await withFileLock(this.#records.lockFile(name), work);
  }
}
