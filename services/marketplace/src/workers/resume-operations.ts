import type { AppRecord, OperationKind, OperationRecord } from "../domain/app.ts";
import type { AppState } from "../domain/app-state.ts";
import { isChecked, type LiveApp } from "../domain/live-app.ts";
import type { MarketplaceContext } from "../use-cases/context.ts";
import { resumeDeletion } from "../use-cases/delete-app.ts";
import { completeInstall, startWithoutContainer } from "../use-cases/install-app.ts";
import { newOperation } from "../use-cases/new-operation.ts";
import { resumeRestart } from "../use-cases/restart-app.ts";
import { finishSwitch } from "../use-cases/switch-release.ts";
import { completeUninstall } from "../use-cases/uninstall-app.ts";
import { upgradeAutomatically } from "../use-cases/upgrade-automatically.ts";

/**
 * Finishes installations, removals and switches whose process died: no process holds the lock of their app. Returns the number
 * of finished operations.
 */
export async function resumeOperations(context: MarketplaceContext): Promise<number> {
  let finished = 0;
  for (const name of await unfinished(context)) {
    try {
      const { held } = await context.lock.runIfFree(name, () => resume(context, name));
      if (held) finished += 1;
    } catch (error) {
      context.logger.warn({ err: error, app: name }, "marketplace: finishing an interrupted command failed; retrying");
    }
  }
  return finished;
}

async function unfinished({ apps, store }: MarketplaceContext): Promise<readonly string[]> {
  const changing = apps.all().filter((live) => isChanging(live.app.state) || isUnstarted(live));
  return [...changing.map(({ app }) => app.name), ...(await store.unfinishedSwitches())];
}

function isChanging(state: AppState): boolean {
  return state === "INSTALLING" || state === "UNINSTALLING";
}

/** Nothing else would ever report that such an app is healthy: its installation was interrupted before its last step. */
function isUnstarted(live: LiveApp): boolean {
  return live.app.state === "INSTALLED" && !isChecked(live);
}

/** Finishes deletions whose process died, or that failed in a service. Returns the number of finished ones. */
export function resumeDeletions(context: MarketplaceContext): Promise<number> {
  return resumeEach(context, "delete", resumeDeletion);
}

/** Finishes restarts whose process died before the request. Returns the number of finished ones. */
export function resumeRestarts(context: MarketplaceContext): Promise<number> {
  return resumeEach(context, "restart", resumeRestart);
}

async function resumeEach(
  context: MarketplaceContext,
  kind: OperationKind,
  resumeOne: (context: MarketplaceContext, appName: string, operation: OperationRecord) => Promise<void>,
): Promise<number> {
  let finished = 0;
  for (const { appName, operation } of await context.store.running([kind])) {
    try {
      const { held } = await context.lock.runIfFree(appName, () => resumeOne(context, appName, operation));
      if (held) finished += 1;
    } catch (error) {
      context.logger.warn(
        { err: error, app: appName, operation: kind },
        "marketplace: finishing an interrupted command failed; retrying",
      );
    }
  }
  return finished;
}

/** By then, the process that registered the release or ended the switch has decided, unless it died. */
const decidedAfterMs = 5_000;

/** Starts the automatic upgrades whose process died before it decided about them. */
export async function resumeUpgrades(context: MarketplaceContext): Promise<void> {
  const before = context.clock.now() - decidedAfterMs;
  for (const { app } of context.apps.all())
    if (app.undecidedDigest && !app.target && app.updatedAt.getTime() < before) await upgradeAutomatically(context, app.name);
}

/** Stages of a switch that is committed. What follows it may be missing. */
const finishedStages: ReadonlySet<string> = new Set(["switch", "revert"]);

async function resume(context: MarketplaceContext, name: string): Promise<void> {
  const live = await context.apps.current(name);
  if (!live) return;
  const { app } = live;
  const history = await context.store.history(app.id, 1);
  const actor = history[0]?.actor;
  if (app.state === "INSTALLING") await completeInstall(context, live, await operationOf(context, app, "install"), actor);
  if (isUnstarted(live)) await startWithoutContainer(context, live);
  if (app.state === "UNINSTALLING") await completeUninstall(context, app, await operationOf(context, app, "uninstall"), actor);
  const running = await context.store.running(["upgrade", "rollback", "redeploy"]);
  const committed = running.find(({ appName, operation }) => appName === name && finishedStages.has(operation.stage));
  if (committed) await finishSwitch(context, app, committed.operation, committed.operation.error);
}

async function operationOf(
  context: MarketplaceContext,
  app: AppRecord,
  kind: OperationRecord["kind"],
): Promise<OperationRecord> {
  const stored = await context.store.operation(app.id);
  if (stored && stored.kind === kind && !stored.done) return stored;
  return newOperation(context, { kind, version: app.version, actor: undefined, stage: "resumed" });
}
