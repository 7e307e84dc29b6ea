import { randomUUID } from "node:crypto";
import { existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive, type ProcessIdentity } from "@appserver/kernel/files";
import type { ContainerSpec, StorageMount } from "@appserver/kernel/ports";
import type { OutputFiles } from "./output-index.ts";
import type { StateFolder } from "./state-folder.ts";

/** The stored form of one container, from which the next server process finds the processes of a killed one. */
export interface ContainerRecord {
  readonly id: string;
  /** The name of the file, not a field in it: a rename of the file renames the container. */
  readonly name: string;
  readonly createdAs: string;
  /** The reference that the container was created from. */
  readonly image: string;
  readonly imageDigest: string;
  readonly command: readonly string[];
  /** Absolute, or relative to the state folder. */
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly storage: readonly StorageMount[];
  /** `starting`: a process may exist that is not recorded yet. */
  readonly status: "created" | "starting" | "started" | "exited";
  readonly process?: ProcessIdentity;
  readonly port?: number;
  readonly startedAt?: string;
  readonly exitCode?: number;
}

/** Returns the record of a container that was not started yet. */
export function newRecord(
  spec: ContainerSpec,
  { digest, command, cwd }: { readonly digest: string } & Pick<ContainerRecord, "command" | "cwd">,
): ContainerRecord {
  return {
    id: randomUUID(),
    name: spec.name,
    createdAs: spec.name,
    image: spec.image,
    imageDigest: digest,
    command,
    cwd,
    environment: spec.environment,
    labels: spec.labels,
    storage: spec.storage ?? [],
    status: "created",
  };
}

/**
 * The records of one state folder. Files are written atomically and are readable only by their owner, because they contain
 * environments.
 */
export class ContainerRecords {
  readonly #folder: StateFolder;
  /** By container id. */
  readonly #leaders = new Map<string, ProcessIdentity>();

  constructor(folder: StateFolder) {
    this.#folder = folder;
  }

  /** The processes of all containers that were running when their record was last seen. Records may be gone since then. */
  get leaders(): readonly ProcessIdentity[] {
    return [...this.#leaders.values()];
  }

  logFile(name: string): string {
    return join(this.#folder.path, `${name}.log`);
  }

  /** The files of what the container printed. The first one is {@link logFile}. */
  outputFiles(name: string): OutputFiles {
    const stdout = this.logFile(name);
    return { stdout, stderr: join(this.#folder.path, `${name}.err.log`), index: `${stdout}.index` };
  }

  lockFile(name: string): string {
    return join(this.#folder.path, `${name}.lock`);
  }

  /**
   * Returns the record; undefined if there is none or it is damaged: see {@link isDamaged}. Like {@link names} and {@link all},
   * throws if the folder itself was removed ({@link StateFolder}).
   */
  read(name: string): ContainerRecord | undefined {
    const text = this.#text(name);
    const record = text === undefined ? undefined : parse(text, name);
    if (record) this.#remember(record);
    return record;
  }

  /** Whether a record exists but is unreadable: truncated by a crash of the machine, or changed by hand. */
  isDamaged(name: string): boolean {
    const text = this.#text(name);
    return text !== undefined && parse(text, name) === undefined;
  }

  /** Renames a damaged record, so that it no longer counts as one. */
  setAside(name: string): void {
    renameSync(this.#file(name), `${this.#file(name)}.damaged`);
  }

  #text(name: string): string | undefined {
    this.#folder.require();
    try {
      return readFileSync(this.#file(name), "utf8");
    } catch (error) {
      // It may be missing because the folder is.
      this.#folder.require();
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }

  names(): string[] {
    this.#folder.require();
    const suffix = ".json";
    return readdirSync(this.#folder.path)
      .filter((file) => file.endsWith(suffix))
      .map((file) => file.slice(0, -suffix.length));
  }

  all(): ContainerRecord[] {
    return this.names().flatMap((name) => this.read(name) ?? []);
  }

  write(record: ContainerRecord): void {
    // First: if the record cannot be written, its process must be known nevertheless.
    this.#remember(record);
    const next = this.#writeAside(record);
    renameSync(next, this.#file(record.name));
  }

  /** Adds a record. If another process was first, returns the existing record instead. */
  add(record: ContainerRecord): ContainerRecord {
    const next = this.#writeAside(record);
    try {
      linkSync(next, this.#file(record.name));
      return record;
    } catch (error) {
      const existing = this.read(record.name);
      if ((error as NodeJS.ErrnoException).code === "EEXIST" && existing) return existing;
      throw error;
    } finally {
      rmSync(next, { force: true });
    }
  }

  remove(name: string): void {
    rmSync(this.#file(name), { force: true });
    for (const file of Object.values(this.outputFiles(name))) rmSync(file, { force: true });
  }

  /**
   * Renames the output and then its record. After a kill in between, the container still has its old name, and a second call
   * finishes the rename. Call it under the locks of both names, and only if no container has the new one.
   */
  rename(name: string, newName: string): void {
    const [files, newFiles] = [this.outputFiles(name), this.outputFiles(newName)];
    for (const key of ["stderr", "index", "stdout"] as const) {
      if (existsSync(files[key])) renameSync(files[key], newFiles[key]);
    }
    renameSync(this.#file(name), this.#file(newName));
  }

  #remember({ id, status, process: leader }: ContainerRecord): void {
    if (status === "started" && leader) this.#leaders.set(id, leader);
    else this.#leaders.delete(id);
  }

  #file(name: string): string {
    return join(this.#folder.path, `${name}.json`);
  }

  #writeAside(record: ContainerRecord): string {
    const file = join(this.#folder.path, `${record.name}.${record.id}-${process.pid}.next`);
    writeFileSync(file, JSON.stringify(record, null, 2), { mode: 0o600 });
    return file;
  }
}

/** Whether the process of the container runs. */
export function isRunning({ status, process }: ContainerRecord): boolean {
  return status === "starting" || (status === "started" && process !== undefined && isAlive(process));
}

function parse(text: string, name: string): ContainerRecord | undefined {
  try {
    const record = JSON.parse(text) as Partial<ContainerRecord> | null;
    const isWhole = typeof record?.id === "string" && statuses.has(record.status ?? "") && typeof record.labels === "object";
    return isWhole ? { ...(record as ContainerRecord), name } : undefined;
  } catch {
    return undefined;
  }
}

const statuses: ReadonlySet<string> = new Set(["created", "starting", "started", "exited"]);
