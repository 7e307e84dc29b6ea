import type { Clock, Logger } from "@appserver/kernel";
import { type KubernetesClient, KubernetesError } from "./kubernetes-client.ts";

/** The metadata of an object that the driver reads. */
export interface ObjectMeta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
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

  constructor({ client, path, labelSelector, clock, logger }: MirrorDeps) {
    this.#client = client;
    this.#path = path;
    this.#labelSelector = labelSelector;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Returns the objects. The first call reads them, and rejects if that fails. */
  async all(): Promise<readonly T[]> {
    await this.#start();
    return [...this.#objects.values()];
  }

  async get(name: string): Promise<T | undefined> {
    await this.#start();
    return this.#objects.get(name);
  }

  /** Keeps the response to a write, so that who has written reads it. */
  put(object: T): void {
    const { name, uid, resourceVersion } = object.metadata;
    const known = this.#objects.get(name)?.metadata;
    if (known?.uid === uid && isLater(known.resourceVersion, resourceVersion)) return;
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
    for (const [name, object] of this.#objects) if (!found.has(name)) this.#deleted(object);
    for (const [name, object] of found) {
      const isNews = this.#objects.get(name)?.metadata.resourceVersion !== object.metadata.resourceVersion;
      this.#objects.set(name, object);
      if (isNews) this.#tell(object);
    }
    return metadata.resourceVersion;
  }

  async #follow(from: string): Promise<void> {
    const { signal } = this.#stop;
    let version: string | undefined = from;
    let failures = 0;
    while (!signal.aborted) {
      try {
        version ??= await this.#list();
        const query: Record<string, string> = { labelSelector: this.#labelSelector, resourceVersion: version };
        for await (const { type, object } of this.#client.watch<T>(this.#path, query, signal)) {
          version = object.metadata.resourceVersion;
          failures = 0;
          if (type === "DELETED") this.#deleted(object);
          else if (type !== "BOOKMARK") this.#changed(object);
        }
      } catch (error) {
        if (signal.aborted) return;
        const isExpired = error instanceof KubernetesError && error.status === 410;
        if (isExpired) version = undefined;
        else failures += 1;
        this.#logger.debug({ err: error, path: this.#path }, "kubernetes: a watch ended");
        const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** failures) * (0.5 + Math.random() / 2);
        await this.#clock.sleep(pauseMs, signal).catch(() => {});
      }
    }
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

/** Returns whether a version of an object is later than another one of it. */
function isLater(version: string, other: string): boolean {
  return version.length === other.length ? version > other : version.length > other.length;
}
