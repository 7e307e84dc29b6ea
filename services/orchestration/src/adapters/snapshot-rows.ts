import type { AppSnapshot, SnapshotRestore } from "@appserver/contracts/deployments";
import { AppError, column, columns, json } from "@appserver/kernel";
import { DatabaseError, type SqlExecutor } from "@appserver/kernel/ports";
import type { StoredSnapshot } from "../ports.ts";

/** The columns of `orchestration.snapshots`. */
export const snapshots = columns<StoredSnapshot>({
  id: column,
  appId: column,
  appName: column,
  appVersion: column,
  manifestDigest: column,
  reason: column,
  label: column,
  actor: column,
  operationId: column,
  state: column,
  error: column,
  pausedMs: column,
  // A number of PostgreSQL that may be larger than any of JavaScript.
  databaseBytes: { expression: "database_bytes::text", read: Number },
  storage: json,
  createdAt: column,
  finishedAt: column,
  expiresAt: column,
  removalRequestedAt: column,
});

/** The columns of `orchestration.snapshot_restores`. */
export const restores = columns<SnapshotRestore>({
  id: column,
  snapshotId: column,
  appId: column,
  appName: column,
  undoId: column,
  actor: column,
  operationId: column,
  state: column,
  error: column,
  createdAt: column,
  finishedAt: column,
});

export const unfinished = "state in ('PENDING', 'RUNNING')";

export async function selectSnapshots(
  executor: SqlExecutor,
  condition: string,
  ...parameters: readonly unknown[]
): Promise<readonly StoredSnapshot[]> {
  const statement = `select ${snapshots.selected} from orchestration.snapshots ${condition}`;
  return (await executor.query<object>(statement, parameters)).rows.map(snapshots.record);
}

export async function selectRestores(
  executor: SqlExecutor,
  condition: string,
  ...parameters: readonly unknown[]
): Promise<readonly SnapshotRestore[]> {
  const statement = `select ${restores.selected} from orchestration.snapshot_restores ${condition}`;
  return (await executor.query<object>(statement, parameters)).rows.map(restores.record);
}

export async function insertSnapshot(executor: SqlExecutor, snapshot: AppSnapshot): Promise<void> {
  const names = snapshots.names();
  await executor.query(
    `insert into orchestration.snapshots (${names.join(", ")}) values (${placesOf(names)})`,
    snapshots.values({ ...snapshot, removalRequestedAt: undefined }),
  );
}

export async function insertRestore(executor: SqlExecutor, restore: SnapshotRestore): Promise<void> {
  const names = restores.names();
  await executor.query(
    `insert into orchestration.snapshot_restores (${names.join(", ")}) values (${placesOf(names)})`,
    restores.values(restore),
  );
}

/** Returns whether the app has an unfinished request of the same kind. */
export function isTaken(error: unknown): boolean {
  return error instanceof DatabaseError && error.reason === "unique_violation";
}

export function unfinishedOf(appName: string, what: string): AppError {
  return new AppError("CONFLICT", `${what} is not finished for ${appName}; try again later`, { details: { app: appName } });
}

function placesOf(names: readonly string[]): string {
  return names.map((_, index) => `$${index + 1}`).join(", ");
}
