import { AppError } from "@appserver/kernel";
import type { AppRecord } from "../domain/app.ts";
import { hardDependents } from "../domain/install-plan.ts";
import type { MarketplaceContext } from "./context.ts";
import { plannedApps } from "./planned-apps.ts";

/** Throws DEPENDENCY_UNSATISFIED with the names of the installed apps that HARD-depend on the app. */
export async function requireNoDependents(context: MarketplaceContext, app: AppRecord): Promise<void> {
  const dependents = hardDependents(app.name, (await plannedApps(context)).values());
  if (dependents.length === 0) return;
  throw new AppError("DEPENDENCY_UNSATISFIED", `${app.name} is needed by ${dependents.join(", ")}`, {
    details: { app: app.name, dependents },
  });
}
