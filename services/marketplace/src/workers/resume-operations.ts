import { IsolatedRows } from "@appserver/kernel";
import type { OperationKind, OperationRecord } from "../domain/app.ts";
import type { LiveApp } from "../domain/live-app.ts";
import { grantApproved } from "../use-cases/approve-permissions.ts";
import { completeInstall, startWithoutContainer } from "../use-cases/complete-install.ts";
import type { MarketplaceContext } from "../use-cases/context.ts";
import { resumeDeletion } from "../use-cases/delete-app.ts";
import { finishOperation } from "../use-cases/operation.ts";
import { completeRestart } from "../use-cases/restart-app.ts";
import { endRequest } from "../use-cases/snapshots/start-request.ts";
import { finishSwitch } from "../use-cases/switch/index.ts";
import { completeUninstall } from "../use-cases/uninstall-app.ts";
import { upgradeAutomatically } from "../use-cases/upgrade-automatically.ts";

type Resume = (context: MarketplaceContext, live: LiveApp, operation: OperationRecord) => Promise<unknown>;

const resumeSwitch: Resume = (context, { app }, operation) => finishSwitch(context, app, operation);

/** What finishes an interrupted command, under the lock of its app. The other commands are one transaction. */
const resumptions: Readonly<Partial<Record<OperationKind, Resume>>> = {
  install: (context, live, operation) =>
    operation.stage === "start" ? startWithoutContainer(context, live, operation) : completeInstall(context, live, operation),
  uninstall: (context, { app }, operation) => completeUninstall(context, app, operation),
  upgrade: resumeSwitch,
  rollback: resumeSwitch,
  redeploy: resumeSwitch,
  restart: (context, { app }, operation) => completeRestart(context, app, operation),
  delete: (context, { app }, operation) => resumeDeletion(context, app, operation),
  approve: grantApproved,
  // The app may use the storage again by now.
  delete_storage: interrupted,
  create_snapshot: (context, _, operation) => endRequest(context, operation),
  restore_snapshot: (context, _, operation) => endRequest(context, operation),
  delete_snapshot: interrupted,
};

function interrupted(context: MarketplaceContext, _live: LiveApp, operation: OperationRecord): Promise<void> {
  const problem = { code: "SERVICE_UNAVAILABLE", message: "the request was interrupted; send it again" };
  return context.store.updateOperation(finishOperation(context, operation, problem));
}

/** What {@link resumeOperations} uses in all its turns. */
export function interruptedOperations({ clock, logger }: MarketplaceContext): IsolatedRows<OperationRecord> {
  return new IsolatedRows({
    what: "marketplace: finishing an interrupted command",
    keyOf: ({ id }) => id,
    fields: ({ id, appName, kind }) => ({ app: appName, operation: kind, id }),
    // Users wait for most commands.
    pauses: { firstMs: 2_000, maxMs: 30_000 },
    clock,
    logger,
  });
}

/** Finishes commands whose process died: no process holds the lock of their app. Returns the number of finished commands. */
export async function resumeOperations(
  context: MarketplaceContext,
  operations = interruptedOperations(context),
): Promise<number> {
  const interrupted = (await context.store.unfinished()).filter(isInterrupted);
  const results = await operations.run(interrupted, (operation) =>
    context.lock.runIfFree(operation.appName, () => resume(context, operation)),
  );
  return results.filter(({ held }) => held).length;
}

/** A command in the stage "deploy" waits for a container. */
function isInterrupted({ stage }: OperationRecord): boolean {
  return stage !== "deploy";
}

async function resume(context: MarketplaceContext, { appName, id }: OperationRecord): Promise<void> {
  const [live, operation] = [await context.apps.current(appName), await context.store.operationById(id)];
  // Its process has ended it in the meantime.
  if (!live || !operation || operation.done || !isInterrupted(operation)) return;
  await resumptions[operation.kind]?.(context, live, operation);
}

/** By then, the process that registered the release or ended the switch has decided, unless it died. */
const decidedAfterMs = 5_000;

/** Starts the automatic upgrades whose process died before it decided about them. */
export async function resumeUpgrades(context: MarketplaceContext): Promise<void> {
  const before = context.clock.now() - decidedAfterMs;
  for (const { app } of context.apps.all())
    if (app.releaseAwaitingAutoUpgrade && !app.target && app.updatedAt.getTime() < before)
      await upgradeAutomatically(context, app.name);
}
