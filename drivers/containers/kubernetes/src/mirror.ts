import type { Clock, Logger } from "@appserver/kernel";
import { type KubernetesClient, KubernetesError, type WatchEvent } from "./kubernetes-client.ts";

/** The metadata of an object that the driver reads. */
export interface ObjectMeta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Of the specification. */
  readonly generation?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
}

export interface KubernetesObject {
  readonly metadata: ObjectMeta;
}

interface ObjectList<T> {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly T[];
}

interface MirrorDeps {
  readonly client: KubernetesClient;
  /** Of the collection. */
  readonly path: string;
  readonly labelSelector: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const firstPauseMs = 200;
const longestPauseMs = 30_000;
/** After so many failures in a row, the operator reads of them. */
const loudFailures = 3;
/** A watch that ends sooner was not worth its connection. */
const shortWatchMs = 1_000;

/**
 * The objects of a collection, kept by one list and one watch. Lists again only if the server no longer has the changes since the last one
 * (410). After every other failure it continues where it was, so nothing is missed and the server is not asked for everything.
 */
export class Mirror<T extends KubernetesObject> {
  readonly #client: KubernetesClient;
  readonly #path: string;
  readonly #labelSelector: string;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #objects = new Map<string, T>();
  readonly #listeners = new Set<(object: T) => void>();
  readonly #stop = new AbortController();
  #synced: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  /** Version of the last list or event: older versions of what is not kept are of deleted objects. */
  #seen: string | undefined;
  /** The server lets the driver see no more changes (401, 403). Undefined while it does. */
  #refusal: KubernetesError | undefined;

  constructor({ client, path, labelSelector, clock, logger }: MirrorDeps) {
    this.#client = client;
    this.#path = path;
    this.#labelSelector = labelSelector;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Returns the objects. The first call reads them, and rejects if that fails. Rejects while the server refuses to show the changes. */
  async all(): Promise<readonly T[]> {
    await this.#ready();
    return [...this.#objects.values()];
  }

  async get(name: string): Promise<T | undefined> {
    await this.#ready();
    return this.#objects.get(name);
  }

  /** Keeps the response to a write, so that who has written reads it. */
  put(object: T): void {
    const { name, resourceVersion } = object.metadata;
    const known = this.#objects.get(name)?.metadata.resourceVersion ?? this.#seen;
    if (known !== undefined && isLater(known, resourceVersion)) return;
    this.#objects.set(name, object);
  }

  /** Calls `listener` with every object that changed or was deleted, until the returned function is called. */
  onChange(listener: (object: T) => void): () => void {
    this.#listeners.add(listener);
    void this.#start().catch(() => {});
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #ready(): Promise<void> {
    await this.#start();
    if (this.#refusal) throw this.#refusal;
  }

  #start(): Promise<void> {
    this.#synced ??= this.#list().then(
      (version) => {
        this.#running = this.#follow(version);
      },
      (error: unknown) => {
        this.#synced = undefined;
        throw error;
      },
    );
    return this.#synced;
  }

  /** Reads everything. Returns the version that it is of. */
  async #list(): Promise<string> {
    const query = { labelSelector: this.#labelSelector };
    const { items, metadata } = await this.#client.call<ObjectList<T>>("GET", this.#path, { query, signal: this.#stop.signal });
    const found = new Map(items.map((object) => [object.metadata.name, object]));
    // What was written after the list was made is not in it, or older in it.
    for (const [name, object] of this.#objects)
      if (!found.has(name) && !isLater(object.metadata.resourceVersion, metadata.resourceVersion)) this.#deleted(object);
    for (const [name, object] of found) {
      const known = this.#objects.get(name)?.metadata.resourceVersion;
      const { resourceVersion } = object.metadata;
      if (known !== undefined && isLater(known, resourceVersion)) continue;
      this.#objects.set(name, object);
      if (known !== resourceVersion) this.#tell(object);
    }
    this.#seen = metadata.resourceVersion;
    return metadata.resourceVersion;
  }

  async #follow(from: string): Promise<void> {
    const { signal } = this.#stop;
    let version: string | undefined = from;
    let failures = 0;
    while (!signal.aborted) {
      const begun = this.#clock.monotonic();
      try {
        version ??= await this.#list();
        for await (const { type, object } of this.#changes(version, () => {
          failures = 0;
        })) {
          version = object.metadata.resourceVersion;
          this.#seen = version;
          if (type === "DELETED") this.#deleted(object);
          else if (type !== "BOOKMARK") this.#changed(object);
        }
        if (this.#clock.monotonic() - begun < shortWatchMs) await this.#pause(shortWatchMs);
      } catch (error) {
        if (signal.aborted) return;
        if (isStatus(error, 410)) version = undefined;
        else failures += 1;
        this.#report(error, failures);
        await this.#pause(Math.min(longestPauseMs, firstPauseMs * 2 ** failures));
      }
    }
  }

  #changes(version: string, opened: () => void): AsyncGenerator<WatchEvent<T>> {
    const query = { labelSelector: this.#labelSelector, resourceVersion: version };
    return this.#client.watch<T>(this.#path, query, this.#stop.signal, () => {
      this.#refusal = undefined;
      opened();
    });
  }

  #report(error: unknown, failures: number): void {
    if (isStatus(error, 401) || isStatus(error, 403)) this.#refusal = error;
    const fields = { err: error, path: this.#path, failures };
    if (failures === loudFailures) this.#logger.warn(fields, "kubernetes: the changes of the cluster cannot be read");
    else this.#logger.debug(fields, "kubernetes: a watch ended");
  }

  async #pause(ms: number): Promise<void> {
    await this.#clock.sleep(ms * (0.5 + Math.random() / 2), this.#stop.signal).catch(() => {});
  }

  #changed(object: T): void {
    this.put(object);
    this.#tell(object);
  }

  #deleted(object: T): void {
    const { name, uid } = object.metadata;
    if (this.#objects.get(name)?.metadata.uid === uid) this.#objects.delete(name);
    this.#tell(object);
  }

  #tell(object: T): void {
    for (const listener of this.#listeners) listener(object);
  }
}

function isStatus(error: unknown, status: number): error is KubernetesError {
  return error instanceof KubernetesError && error.status === status;
}

/** Returns whether a version of an object is later than another one of it. */
function isLater(version: string, other: string): boolean {
  return version.length === other.length ? version > other : version.length > other.length;
}
