import { type Clock, type Logger, PeriodicTasks } from "@appserver/kernel";
import type { ImageStore } from "../ports.ts";

export interface UnusedImagesDeps {
  readonly store: Pick<ImageStore, "removeUnused">;
  /** Returns the digests of the images of all releases that the platform has. */
  readonly retainedImages: () => Promise<ReadonlySet<string>>;
  /** How long an image that no release names is kept after its push. */
  readonly keepUnusedMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const intervalMs = 1_800_000;
/** An upload that gets nothing for this time was given up. */
const idleUploadMs = 3_600_000;

/** Removes what nothing needs (docs/interface/registry.md#removal), at the start and then every 30 minutes. Several processes may do it at a time. */
export function unusedImages(deps: UnusedImagesDeps): PeriodicTasks {
  const tasks = [{ name: "unused images", intervalMs, run: (signal: AbortSignal) => removeUnused(deps, signal) }];
  return new PeriodicTasks({ ...deps, name: "registry", tasks });
}

export async function removeUnused(
  { store, retainedImages, keepUnusedMs, clock, logger }: UnusedImagesDeps,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const since = { keptSince: now - keepUnusedMs, activeSince: now - idleUploadMs };
  const files = await store.removeUnused({ retained: await retainedImages(), ...since }, signal);
  if (files > 0) logger.info({ files }, "registry: removed what no release needs");
}
