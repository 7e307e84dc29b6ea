import { auditEntry, type Initiator, type Problem } from "@appserver/kernel";
import type { AppRecord } from "../../domain/app.ts";
import { appEvent } from "../../domain/app-events.ts";
import type { MarketplaceContext } from "../context.ts";
import type { CommandResult } from "../operation.ts";
import { finishSwitch, operationOf } from "./finish-switch.ts";

/** Ends a switch whose target did not become healthy, or was cancelled. The current release still serves. */
export async function revertSwitch(
  context: MarketplaceContext,
  app: AppRecord,
  problem: Problem,
  by: Initiator,
): Promise<CommandResult> {
  const { actor } = by;
  const { target } = app;
  if (!target) throw new Error(`${app.name} is not switching`);
  const at = new Date(context.clock.now());
  const operation = { ...(await operationOf(context, target, app)), stage: "revert", error: problem };
  const facts = { fromVersion: target.version, toVersion: app.version };
  // After a switch that a user cancels, none follows by itself.
  const releaseAwaitingAutoUpgrade = actor === undefined ? app.releaseAwaitingAutoUpgrade : undefined;
  // The orchestrator may have stopped the current deployment for the target.
  const requestsBufferedSince = target.holdsRequests ? at : app.requestsBufferedSince;
  const reverted = await context.store.save({
    app: {
      ...app,
      target: undefined,
      releaseAwaitingAutoUpgrade,
      requestsBufferedSince,
      failedConfiguration: target.configuration ?? app.failedConfiguration,
      updatedAt: at,
    },
    expectedRowVersion: app.rowVersion,
    events: [
      appEvent("app.rolled_back", app, at, actor, {
        ...facts,
        actor: actor ?? null,
        isAutomatic: actor === undefined,
        reason: problem.message,
      }),
    ],
    versionChange: {
      kind: "revert",
      fromVersion: target.version,
      version: app.version,
      revision: app.revision,
      manifestDigest: app.manifestDigest,
      imageDigest: app.imageDigest,
      actor,
      reason: problem.message,
      at,
    },
    operation,
    audit: auditEntry(by, {
      action: `app.${target.kind}`,
      target: `app:${app.name}`,
      outcome: "failure",
      details: { ...facts, error: { code: problem.code, message: problem.message } },
    }),
  });
  return finishSwitch(context, reverted, operation);
}
