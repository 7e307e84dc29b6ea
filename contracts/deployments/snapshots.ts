/** Why a snapshot was taken. `restore`: the data that a restore was about to replace. All but `manual` are automatic. */
export const snapshotReasons = ["manual", "upgrade", "backup", "restore"] as const;
export type SnapshotReason = (typeof snapshotReasons)[number];

/** `RUNNING`: an orchestrator has begun. While the copies are made, no container of the app runs. */
export type SnapshotState = "PENDING" | "RUNNING" | "COMPLETED" | "FAILED";

/** A copy of the data of one app, of one moment, on the same machine (docs/interface/snapshots.md). */
export interface AppSnapshot {
  /** UUIDv7. It also names the copies: {@link snapshotStorageOwner}, and `nameOfCopy` of the port `AppDatabases`. */
  readonly id: string;
  readonly appId: string;
  readonly appName: string;
  /** The release that the app ran. */
  readonly appVersion: string;
  readonly manifestDigest: string;
  readonly reason: SnapshotReason;
  readonly label?: string | undefined;
  /** Undefined: the platform itself. */
  readonly actor?: string | undefined;
  /** The switch to another release that waits for it. */
  readonly operationId?: string | undefined;
  readonly state: SnapshotState;
  /** Why it failed. */
  readonly error?: string | undefined;
  /** From the stop of the app until the copies were complete. Undefined if the app did not run. */
  readonly pausedMs?: number | undefined;
  /** Undefined if the app has no database, and before the snapshot is complete. */
  readonly databaseBytes?: number | undefined;
  /** Sorted by name. Empty before the snapshot is complete. */
  readonly storage: readonly SnapshotStorage[];
  readonly createdAt: Date;
  readonly finishedAt?: Date | undefined;
  /** When the platform deletes it. Undefined: the newest ones of an app are kept. */
  readonly expiresAt?: Date | undefined;
}

export interface SnapshotStorage {
  readonly name: string;
  readonly usedBytes: number;
}

export interface SnapshotRequest
  extends Pick<
    AppSnapshot,
    "appId" | "appName" | "appVersion" | "manifestDigest" | "reason" | "label" | "actor" | "operationId" | "expiresAt"
  > {
  /** Default: a new id. */
  readonly id?: string | undefined;
}

/** A request to give an app the data of a snapshot. */
export interface SnapshotRestore {
  /** UUIDv7 */
  readonly id: string;
  readonly snapshotId: string;
  readonly appId: string;
  readonly appName: string;
  /** The snapshot of the data that it replaces. */
  readonly undoId: string;
  readonly actor?: string | undefined;
  /** The switch to another release that waits for it. */
  readonly operationId?: string | undefined;
  readonly state: SnapshotState;
  readonly error?: string | undefined;
  readonly createdAt: Date;
  readonly finishedAt?: Date | undefined;
}

export type RestoreRequest = Pick<SnapshotRestore, "snapshotId" | "actor"> & {
  /** Default: a new id. */
  readonly id?: string | undefined;
  /** The app as it is now. */
  readonly app: Pick<AppSnapshot, "appId" | "appName" | "appVersion" | "manifestDigest">;
};

/**
 * Snapshots of the data of apps. Requests are stored; the orchestrator that holds the app's lease carries them out. Any process may
 * use it.
 */
export interface AppSnapshots {
  /** Stores a request. Throws CONFLICT while the app has an unfinished snapshot of the same reason. */
  request(request: SnapshotRequest): Promise<AppSnapshot>;
  /** Returns those of an app, newest first, without those that are being deleted. */
  list(appId: string): Promise<readonly AppSnapshot[]>;
  /** Returns undefined also for a snapshot that is being deleted. */
  get(id: string): Promise<AppSnapshot | undefined>;
  /** Resolves with the snapshot once it is COMPLETED or FAILED. Throws NOT_FOUND if it was deleted, and rejects with the signal. */
  finished(id: string, signal: AbortSignal): Promise<AppSnapshot>;
  /**
   * Stores a request to replace the data of an app by that of a complete snapshot. Throws NOT_FOUND if there is no such snapshot,
   * INVALID_STATE if it is not complete, and CONFLICT while another restore of the app is not finished.
   */
  restore(request: RestoreRequest): Promise<SnapshotRestore>;
  getRestore(id: string): Promise<SnapshotRestore | undefined>;
  /** Returns whether a restore of the app was completed. One that is older than 30 days may be forgotten after a newer one. */
  isRestored(appId: string): Promise<boolean>;
  /**
   * Has a snapshot deleted. Succeeds if there is none. Throws CONFLICT until it is complete or has failed, and while a restore needs it.
   */
  remove(id: string): Promise<void>;
}

/** Returns the owner of the copies of the storage of an app. Each has the name of the storage. */
export function snapshotStorageOwner<O extends { readonly appId: string }>(owner: O, snapshotId: string): O {
  return { ...owner, appId: snapshotId };
}
