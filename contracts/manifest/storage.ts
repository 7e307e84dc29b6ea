import { type AppManifest, UpgradeStrategy } from "../generated/proto/appserver/v2/manifest_pb.js";

/** Returns whether the storage is for one container at a time: two that write to it would damage it, so an app has to ask for that. */
export function hasExclusiveStorage({ storage, upgrade }: Pick<AppManifest, "storage" | "upgrade">): boolean {
  return storage.length > 0 && [UpgradeStrategy.UNSPECIFIED, UpgradeStrategy.REPLACE].includes(upgrade);
}
