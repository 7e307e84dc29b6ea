import type { AppSnapshots } from "@appserver/contracts/deployments";
import { messageOf } from "@appserver/kernel";
import type { AppVersion } from "@appserver/marketplace";
import type { BackedUpSnapshot } from "../backup/manifest.ts";

export interface TakenSnapshots {
  readonly taken: readonly BackedUpSnapshot[];
  /** Why others were not taken, by the ids of their apps. */
  readonly failures: ReadonlyMap<string, string>;
}

/** A pause lasts at most 30 s. Before it the app may be in a switch. */
const patienceMs = 180_000;
/** A snapshot that a killed backup leaves behind. */
const keptForMs = 24 * 3_600_000;

/** Takes a snapshot of each app, one after another: no two apps are paused at the same time. */
export async function takeSnapshots(snapshots: AppSnapshots, apps: readonly AppVersion[], now: Date): Promise<TakenSnapshots> {
  const taken: BackedUpSnapshot[] = [];
  const failures = new Map<string, string>();
  for (const { id: appId, name: appName, version: appVersion, manifestDigest } of apps) {
    try {
      const expiresAt = new Date(now.getTime() + keptForMs);
      const request = { appId, appName, appVersion, manifestDigest, reason: "backup", expiresAt } as const;
      const { id: snapshotId } = await snapshots.request(request);
      const { state, error = "", databaseBytes } = await snapshots.finished(snapshotId, AbortSignal.timeout(patienceMs));
      if (state === "COMPLETED") taken.push({ appId, appName, snapshotId, hasDatabase: databaseBytes !== undefined });
      else failures.set(appId, error);
    } catch (error) {
      failures.set(appId, messageOf(error));
    }
  }
  return { taken, failures };
}

/** Has the snapshots deleted: the backup has their data. One that cannot be deleted expires. */
export async function removeSnapshots(snapshots: AppSnapshots, taken: readonly BackedUpSnapshot[]): Promise<void> {
  await Promise.allSettled(taken.map(({ snapshotId }) => snapshots.remove(snapshotId)));
}
