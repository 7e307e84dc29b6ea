import { messageOf, within } from "@appserver/kernel";
import type { SnapshotResult, StoredSnapshot } from "../../ports.ts";
import { copyAppData, removeCopies } from "../app-data.ts";
import type { ObservedState } from "../observed-state.ts";
import { pauseApp } from "../pause-app.ts";
import type { Repair, RepairContext } from "../repair-context.ts";
import { beginAlone, dueSnapshot, mayBegin } from "../snapshot-work.ts";

/** Maximum pause of an app for a snapshot (docs/interface/snapshots.md#pause). */
const pauseLimitMs = 30_000;
/** Without a pause, and before a restore, which stops the app anyway. */
const longLimitMs = 3_600_000;

/**
 * Copies the data of an app while nothing of it runs (docs/interface/snapshots.md). A running app is paused first. Every step may be
 * repeated: a copy that a killed orchestrator began is made again.
 */
export const takeSnapshot: Repair = {
  name: "take-snapshot",
  applies: (observed) => {
    const due = dueSnapshot(observed);
    return due !== undefined && (due.state === "RUNNING" || mayBegin(observed));
  },
  apply: async (observed, context) => {
    const snapshot = dueSnapshot(observed);
    if (!snapshot) return;
    const { id } = snapshot;
    if (snapshot.state === "PENDING")
      await beginAlone(observed, context, (isRunning) => context.snapshots.setRunning(context.writer, id, isRunning));
    else if (await pauseApp(observed, context)) await take(snapshot, observed, context);
  },
};

async function take(snapshot: StoredSnapshot, { role, deployment }: ObservedState, context: RepairContext): Promise<void> {
  const { clock, snapshots, writer, signal, logger, options } = context;
  const pausedAt = role === "current" ? deployment?.pausedAt?.getTime() : undefined;
  const isLimited = pausedAt !== undefined && snapshot.reason !== "restore";
  const limitMs = isLimited ? pausedAt + pauseLimitMs - clock.now() : longLimitMs;
  const fields = { app: snapshot.appName, snapshot: snapshot.id };
  const late = (): Error => new Error(`the copy did not end within ${(isLimited ? pauseLimitMs : longLimitMs) / 1_000} s`);
  let result: SnapshotResult;
  try {
    if (limitMs <= 0) throw late();
    const copy = (given: AbortSignal) => copyAppData(context, snapshot, { limitMs, signal: AbortSignal.any([given, signal]) });
    result = await within(copy, { clock, ms: limitMs, signal, error: late });
  } catch (error) {
    signal.throwIfAborted();
    logger.warn({ ...fields, err: error }, "orchestration: the snapshot of the app failed");
    await snapshots.fail(writer, snapshot.id, messageOf(error), new Date(clock.now()));
    await removeCopies(context, snapshot).catch((left: unknown) =>
      logger.debug({ ...fields, err: left }, "orchestration: copies of a failed snapshot are left until it is deleted"),
    );
    return;
  }
  const now = clock.now();
  const pausedMs = pausedAt === undefined ? undefined : Math.max(0, now - pausedAt);
  await snapshots.complete(writer, snapshot.id, { ...result, pausedMs }, new Date(now));
  logger.info({ ...fields, pausedMs }, "orchestration: snapshot of the app taken");
  await snapshots.removeSurplus(writer, snapshot.appId, options.snapshotsKept, new Date(now));
}
