import type { AppSnapshot } from "./snapshots.ts";

export type ImportRequest = Pick<
  AppSnapshot,
  "appId" | "appName" | "appVersion" | "manifestDigest" | "label" | "actor" | "expiresAt"
>;

/** What was written under the names of the copies. */
export type ImportedData = Pick<AppSnapshot, "databaseBytes" | "storage" | "pausedMs">;

/**
 * Snapshots whose copies a process writes itself, from data of another place. Until it is complete, such a snapshot has failed, so that it
 * is never restored, and is deleted when it expires. One process at a time may import for an app.
 */
export interface SnapshotImports {
  /** Stores the snapshot. Has those of the app deleted that were begun and not completed. */
  begin(request: ImportRequest): Promise<AppSnapshot>;
  /** Throws NOT_FOUND if the snapshot was deleted. */
  complete(id: string, data: ImportedData): Promise<void>;
}
