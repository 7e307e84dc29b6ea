/** A folder of a container whose contents outlive it (docs/interface/containers.md#storage). */
export interface StorageMount {
  /** Unique within the app. */
  readonly name: string;
  /** Where the container has it. A driver whose apps share the file system of the host uses another path. */
  readonly mountPath: string;
  /** The variable that the driver sets to the path at which the app finds it. */
  readonly variable: string;
  /** The size that the app says it needs. For an engine that gives storage a size. */
  readonly sizeBytes?: number;
  /** Whether several containers, perhaps on several machines, have it at the same time. Default false. */
  readonly isShared?: boolean;
}

/** The app that storage belongs to, in the values of the labels of its containers. */
export interface StorageOwner {
  readonly instance: string;
  readonly appId: string;
}

/** The apps whose storage is listed. */
export interface StorageSelection {
  readonly instance: string;
  /** Undefined: all apps of the installation. */
  readonly appId?: string;
}

/** A storage as the engine has it. */
export interface StorageView extends StorageOwner {
  readonly name: string;
  readonly createdAt: Date;
  /** Size of its files. Undefined unless it was measured. */
  readonly usedBytes?: number;
}

/** What a container engine keeps for apps. Storage is made by `create` of the container, and only these methods delete it. */
export interface AppStorage {
  /**
   * Returns what exists, in any order. With `measure`, the driver also reads the size of each, which may take minutes, and rejects
   * when `signal` aborts.
   */
  storage(selection: StorageSelection, measure?: { readonly signal: AbortSignal }): Promise<readonly StorageView[]>;
  /**
   * Deletes a storage of an app, without a name all of them. Succeeds if there is none. Rejects while a container has it, whether
   * it runs or not.
   */
  removeStorage(owner: StorageOwner, name?: string): Promise<void>;
  /**
   * Yields a tar archive with the files of a storage, below the folder {@link storageArchiveFolder}, with their modes, links and owners. An
   * app that writes at the same time may be seen in between. Rejects with `not_found` if there is none.
   */
  readStorage(owner: StorageOwner, name: string): AsyncIterable<Uint8Array>;
  /**
   * Creates a storage with the files of such an archive. Rejects with `name_conflict` if the app has one of this name. If `archive` fails,
   * what was written of it stays.
   */
  writeStorage(owner: StorageOwner, name: string, archive: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * Replaces the storage of this name of `to` by a copy of that of `from`, with owners, modes and links of its files. Returns the size
   * of the files. Rejects while a container has the storage of `to`, and if `from` has none. A copy that was interrupted is never
   * listed as storage, and no container is created with it: repeat it, or remove it. Needs no registry.
   */
  copyStorage(from: StorageOwner, to: StorageOwner, name: string, signal: AbortSignal): Promise<number>;
}

/** The only folder in the archive of a storage. */
export const storageArchiveFolder = "data";
