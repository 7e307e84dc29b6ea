import { defaultBackupBeforeUpgrade } from "@appserver/contracts/settings";
import { AppError } from "@appserver/kernel";
import type { SwitchTarget } from "../../domain/app.ts";
import type { LiveApp } from "../../domain/live-app.ts";
import type { MarketplaceContext } from "../context.ts";
import type { PlannedSwitch, UpgradeAction } from "../plan-upgrade.ts";
import { snapshotOfRelease } from "../snapshots/find-snapshot.ts";

/** What happens to the data of an app in a switch. */
export type SwitchedData = Pick<SwitchTarget, "snapshotFirst" | "restoredSnapshot">;

/**
 * Returns whether the orchestrator copies the data before the upgrade, by the app's setting `backup.before_upgrade`, or which snapshot it
 * restores with the rollback. Throws INVALID_STATE if there is none.
 */
export async function dataOfSwitch(
  context: MarketplaceContext,
  live: LiveApp,
  { release, to }: PlannedSwitch,
  { action, withData }: { readonly action: UpgradeAction; readonly withData: boolean },
): Promise<SwitchedData> {
  const { app, manifest, placement } = live;
  if (action === "upgrade") {
    if (!placement.needsContainer || !to.placement.needsContainer) return {};
    const chosen = await context.settings.backupBeforeUpgrade(app.id);
    const isWanted = chosen ?? defaultBackupBeforeUpgrade(manifest.settings?.definitions ?? []);
    return isWanted ? { snapshotFirst: true } : {};
  }
  if (!withData) return {};
  if (!to.placement.needsContainer)
    throw new AppError("INVALID_STATE", `${app.name} ${release.version} has no container, and so no data`, {
      details: { app: app.name, version: release.version },
    });
  return { restoredSnapshot: (await snapshotOfRelease(context, app, release)).id };
}
