import type { MarketplaceReads } from "@appserver/contracts/deployments";
import type { Logger, PeriodicTask } from "@appserver/kernel";
import type { OrchestrationOptions } from "../domain/orchestration-options.ts";
import type { ContainerRuntime, EndedImages } from "../ports.ts";

export interface ImageCleanupContext {
  readonly runtime: Pick<ContainerRuntime, "removeImages">;
  readonly deployments: EndedImages;
  readonly marketplace: Pick<MarketplaceReads, "retainedImages">;
  readonly options: Pick<OrchestrationOptions, "imageCleanupIntervalMs">;
  readonly logger: Logger;
}

/**
 * Returns the repeated removal of images that apps ran earlier (docs/interface/containers.md#image). Each orchestrator cleans its
 * own engine.
 */
export function imageCleanup(context: ImageCleanupContext): readonly PeriodicTask[] {
  if (!context.runtime.removeImages) return [];
  return [{ name: "images", intervalMs: context.options.imageCleanupIntervalMs, run: () => removeOldImages(context) }];
}

export async function removeOldImages({ runtime, deployments, marketplace, logger }: ImageCleanupContext): Promise<void> {
  const ended = await deployments.endedImages();
  // Read last: a release that was switched to in between is kept.
  const retained = await marketplace.retainedImages();
  const old = ended.filter(({ digest }) => !retained.has(digest)).map(({ image }) => image);
  const removed = old.length > 0 ? await runtime.removeImages?.(old) : undefined;
  if (removed?.length) logger.info({ images: removed }, "orchestration: removed images that no app returns to");
}
