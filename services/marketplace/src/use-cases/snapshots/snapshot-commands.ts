import { quote } from "@appserver/contracts/patterns";
import { AppError, auditEntry, type Call, initiatorOf, invalidField, requirePermission } from "@appserver/kernel";
import type { AppRecord, OperationKind } from "../../domain/app.ts";
import { compareVersions } from "../../domain/version-constraint.ts";
import type { MarketplaceContext } from "../context.ts";
import { earlierResult } from "../earlier-result.ts";
import { requireApp } from "../find-app.ts";
import { type CommandResult, newOperation, runRequest } from "../operation.ts";
import { requireNotSwitching } from "../require-installed.ts";
import { requireSnapshot } from "./find-snapshot.ts";
import { startRequest } from "./start-request.ts";

interface SnapshotCommand {
  readonly name: string;
  /** Id of the snapshot. */
  readonly snapshot: string;
}

const maxLabelLength = 200;

/**
 * Requests a snapshot of the data of an app (docs/interface/snapshots.md). Resolves when the request is stored; the operation, which has
 * the id of the snapshot, shows when it is complete.
 *
 * Throws PERMISSION_DENIED, NOT_FOUND, INVALID_REQUEST for the label, INVALID_STATE for an app that has never run in a container, and
 * CONFLICT while another snapshot is taken or another command works on the app.
 */
export async function createSnapshot(
  context: MarketplaceContext,
  { name, label }: { readonly name: string; readonly label: string | undefined },
  call: Call,
): Promise<CommandResult> {
  await requirePermission(context.permissions, call, "app:backup");
  requireLabel(label);
  return command(context, { name, kind: "create_snapshot", stage: "snapshot" }, call, async (app) => {
    if (!(await context.deployments.find(app.id)))
      throw new AppError("INVALID_STATE", `${name} has never run in a container: the platform has no data of it`, {
        details: { app: name },
      });
    return {
      details: { label: label ?? null },
      request: async (id, actor) => {
        await context.snapshots.request({ ...dataOf(app), id, reason: "manual", label, actor });
      },
    };
  });
}

/**
 * Requests that the data of an app is replaced by that of a snapshot. What is there is kept as another snapshot first.
 *
 * Throws PERMISSION_DENIED, NOT_FOUND, INVALID_STATE for a snapshot that is not complete or of a newer version than the app has, and
 * CONFLICT while the app is switching to another version, another restore is not finished or another command works on the app.
 */
export async function restoreSnapshot(
  context: MarketplaceContext,
  { name, snapshot }: SnapshotCommand,
  call: Call,
): Promise<CommandResult> {
  await requirePermission(context.permissions, call, "app:backup");
  return command(context, { name, kind: "restore_snapshot", stage: "restore" }, call, async (app) => {
    const found = await requireSnapshot(context, app, snapshot);
    requireNotSwitching(app);
    if (compareVersions(found.appVersion, app.version) > 0)
      throw new AppError("INVALID_STATE", `the snapshot is of version ${found.appVersion}, and ${name} has ${app.version}`, {
        details: { app: name, snapshot, version: app.version, snapshotVersion: found.appVersion },
      });
    return {
      details: { snapshot },
      request: async (id, actor) => {
        await context.snapshots.restore({ id, snapshotId: found.id, app: dataOf(app), actor });
      },
    };
  });
}

/** Requests the deletion of a snapshot. Throws PERMISSION_DENIED, NOT_FOUND, and CONFLICT while it is taken or restored. */
export async function deleteSnapshot(
  context: MarketplaceContext,
  { name, snapshot }: SnapshotCommand,
  call: Call,
): Promise<CommandResult> {
  await requirePermission(context.permissions, call, "app:backup");
  const earlier = await earlierResult(context, name);
  if (earlier) return earlier;
  return context.lock.run(name, async () => {
    const { app } = await requireApp(context, name);
    const { id } = await requireSnapshot(context, app, snapshot);
    const operation = newOperation(context, app, { kind: "delete_snapshot", ...initiatorOf(call.caller), stage: "request" });
    const audit = auditEntry(call, { action: "app.delete_snapshot", target: `app:${name}`, details: { snapshot } });
    await context.store.addOperation(app, operation, audit);
    return { app, operation: await runRequest(context, operation, () => context.snapshots.remove(id)) };
  });
}

interface Prepared {
  readonly details: Readonly<Record<string, string | null>>;
  readonly request: (operationId: string, actor: string) => Promise<void>;
}

/** Stores the operation with its audit entry, then the request, which has the same id. An orchestrator carries it out. */
async function command(
  context: MarketplaceContext,
  { name, kind, stage }: { readonly name: string; readonly kind: OperationKind; readonly stage: string },
  call: Call,
  prepare: (app: AppRecord) => Promise<Prepared>,
): Promise<CommandResult> {
  const earlier = await earlierResult(context, name);
  if (earlier) return earlier;
  return context.lock.run(name, async () => {
    const { app } = await requireApp(context, name);
    const { details, request } = await prepare(app);
    const by = initiatorOf(call.caller);
    const operation = newOperation(context, app, { kind, ...by, stage });
    const audit = auditEntry(call, { action: `app.${kind}`, target: `app:${name}`, details });
    await context.store.addOperation(app, operation, audit);
    await startRequest(context, operation, () => request(operation.id, by.actor));
    return { app, operation };
  });
}

/** Returns the app as requests for snapshots and restores name it. */
export function dataOf({ id, name, version, manifestDigest }: AppRecord) {
  return { appId: id, appName: name, appVersion: version, manifestDigest };
}

function requireLabel(label: string | undefined): void {
  if (label === undefined || (label.length <= maxLabelLength && !/\p{Cc}/u.test(label))) return;
  throw invalidField("label", `expected one line of at most ${maxLabelLength} characters, got ${quote(label)}`);
}
