import { AppError, type Initiator } from "@appserver/kernel";
import { noAddress } from "../domain/app.ts";
import type { PlanStep } from "../domain/install-plan.ts";
import type { LiveApp } from "../domain/live-app.ts";
import { completeInstall } from "./complete-install.ts";
import type { MarketplaceContext } from "./context.ts";
import { requireApp, requireKnown } from "./find-app.ts";
import { requireApproved } from "./missing-approvals.ts";
import { onCurrentApp } from "./on-current-app.ts";
import { type CommandResult, newOperation } from "./operation.ts";
import { transition } from "./transition.ts";

/** Executes one step of a plan. */
export function installStep(context: MarketplaceContext, step: PlanStep, by: Initiator): Promise<CommandResult> {
  return context.lock.run(step.appName, async () => {
    const operation = newOperation(
      context,
      { name: step.appName, version: step.version },
      { kind: "install", ...by, stage: "onCreate" },
    );
    const installing = await onCurrentApp(async (attempt) => {
      // The plan has just read it.
      const live =
        attempt === 1 ? requireKnown(context.apps.get(step.appName), step.appName) : await requireApp(context, step.appName);
      requireAsPlanned(live, step);
      await requireApproved(context, live.app, live.manifest);
      const app = await transition(context, live.app, "install", {
        reason: "install requested",
        actor: by.actor,
        operation,
        fields: {
          lastError: undefined,
          ...noAddress,
          asleepSince: undefined,
          // A new installation resolves its image again.
          imageDigest: undefined,
          health: "UNKNOWN",
          // It also ends a switch of an app that failed during it.
          target: undefined,
          requestsBufferedSince: undefined,
        },
      });
      return { ...live, app };
    });
    return completeInstall(context, installing, operation);
  });
}

/** Throws CONFLICT unless the app has the manifest of the plan. */
function requireAsPlanned({ app }: LiveApp, step: PlanStep): void {
  if (app.version === step.version && app.manifestDigest === step.manifestDigest) return;
  throw new AppError("CONFLICT", `${app.name} was registered again after its installation was planned; plan it again`, {
    details: { app: app.name, planned: step.version, registered: app.version },
  });
}
