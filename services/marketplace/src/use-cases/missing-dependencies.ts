import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { Problem } from "@appserver/kernel";
import type { MarketplaceContext } from "./context.ts";

/**
 * Returns a warning for each HARD dependency that is not registered. It blocks the installation, not the registration (ADR 0005): apps
 * may register in any order.
 */
export async function missingDependencies(
  { store }: MarketplaceContext,
  { name, dependencies }: AppManifest,
): Promise<readonly Problem[]> {
  const warnings: Problem[] = [];
  for (const { appName, kind } of dependencies) {
    if (kind !== DependencyKind.HARD || (await store.findByName(appName))) continue;
    warnings.push({
      code: "DEPENDENCY_UNSATISFIED",
      message: `${appName} is not registered; it must be before ${name} can be installed`,
      details: { app: name, dependency: appName },
    });
  }
  return warnings;
}
