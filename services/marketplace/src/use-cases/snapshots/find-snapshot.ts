import type { AppSnapshot } from "@appserver/contracts/deployments";
import { quote } from "@appserver/contracts/patterns";
import { AppError, isUuid } from "@appserver/kernel";
import type { AppRecord } from "../../domain/app.ts";
import type { MarketplaceContext } from "../context.ts";

/** Returns a snapshot of the app. Throws NOT_FOUND. */
export async function requireSnapshot(
  { snapshots }: MarketplaceContext,
  { id, name }: AppRecord,
  snapshotId: string,
): Promise<AppSnapshot> {
  const found = isUuid(snapshotId) ? await snapshots.get(snapshotId) : undefined;
  if (found?.appId === id) return found;
  throw new AppError("NOT_FOUND", `${name} has no snapshot ${quote(snapshotId)}`, {
    details: { app: name, snapshot: snapshotId },
  });
}

/** Returns the newest snapshot that was taken before an upgrade from the release. Throws INVALID_STATE if there is none. */
export async function snapshotOfRelease(
  { snapshots }: MarketplaceContext,
  { id, name }: AppRecord,
  { version, manifestDigest }: { readonly version: string; readonly manifestDigest: string },
): Promise<AppSnapshot> {
  const found = (await snapshots.list(id)).find(
    (each) => each.reason === "upgrade" && each.state === "COMPLETED" && each.manifestDigest === manifestDigest,
  );
  if (found) return found;
  throw new AppError("INVALID_STATE", `there is no snapshot of ${name} from before an upgrade from ${version}`, {
    details: { app: name, version },
  });
}
