import type {
  AppSnapshot,
  AppSnapshots,
  RestoreRequest,
  SnapshotRequest,
  SnapshotRestore,
} from "@appserver/contracts/deployments";
import { AppError, type Clock, uuidv7 } from "@appserver/kernel";
import type { Database, SqlExecutor } from "@appserver/kernel/ports";
import type { StoredSnapshot } from "../ports.ts";
import { sendReconcileRequest } from "./reconcile-requests.ts";
import {
  insertRestore,
  insertSnapshot,
  isTaken,
  selectRestores,
  selectSnapshots,
  unfinished,
  unfinishedOf,
} from "./snapshot-rows.ts";

const lookEveryMs = 500;
/** Finished requests are kept for the users who wait for them. */
const restoresKeptFor = "interval '30 days'";

/** Stores requests about snapshots, and announces them to the orchestrators. */
export class SqlAppSnapshots implements AppSnapshots {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
    this.#database = database;
    this.#clock = clock;
  }

  async request(request: SnapshotRequest): Promise<AppSnapshot> {
    const { appName, reason } = request;
    const snapshot = this.#snapshotOf(request);
    await insertSnapshot(this.#database, snapshot).catch((error: unknown) => {
      throw isTaken(error) ? unfinishedOf(appName, `a snapshot of it (${reason})`) : error;
    });
    await sendReconcileRequest(this.#database, appName);
    return snapshot;
  }

  async list(appId: string): Promise<readonly AppSnapshot[]> {
    const condition = "where app_id = $1 and removal_requested_at is null order by id desc";
    return (await selectSnapshots(this.#database, condition, appId)).map(presented);
  }

  async get(id: string): Promise<AppSnapshot | undefined> {
    const [found] = await selectSnapshots(this.#database, "where id = $1 and removal_requested_at is null", id);
    return found && presented(found);
  }

  async finished(id: string, signal: AbortSignal): Promise<AppSnapshot> {
    for (;;) {
      const found = await this.get(id);
      if (!found) throw new AppError("NOT_FOUND", `there is no snapshot ${id}`);
      if (found.state === "COMPLETED" || found.state === "FAILED") return found;
      await this.#clock.sleep(lookEveryMs, signal);
    }
  }

  async restore({ id: given, snapshotId, app, actor }: RestoreRequest): Promise<SnapshotRestore> {
    const undo = this.#snapshotOf({ ...app, reason: "restore", actor });
    const createdAt = new Date(this.#clock.now());
    const id = given ?? uuidv7(createdAt.getTime());
    const { appId, appName } = app;
    const request = {
      id,
      snapshotId,
      appId,
      appName,
      undoId: undo.id,
      actor,
      state: "PENDING",
      createdAt,
    } as const;
    await this.#database
      .transaction(async (tx) => {
        await requireComplete(tx, snapshotId);
        await insertRestore(tx, request);
        await insertSnapshot(tx, undo);
        await tx.query(
          `delete from orchestration.snapshot_restores
           where app_id = $1 and not (${unfinished}) and created_at < now() - ${restoresKeptFor}`,
          [appId],
        );
      })
      .catch((error: unknown) => {
        throw isTaken(error) ? unfinishedOf(appName, "a restore of its data") : error;
      });
    await sendReconcileRequest(this.#database, appName);
    return request;
  }

  async getRestore(id: string): Promise<SnapshotRestore | undefined> {
    return (await selectRestores(this.#database, "where id = $1", id))[0];
  }

  async isRestored(appId: string): Promise<boolean> {
    const condition = "where app_id = $1 and state = 'COMPLETED' limit 1";
    return (await selectRestores(this.#database, condition, appId)).length > 0;
  }

  async remove(id: string): Promise<void> {
    const appName = await this.#database.transaction(async (tx) => {
      const [found] = await selectSnapshots(tx, "where id = $1 for update", id);
      if (!found || found.removalRequestedAt) return undefined;
      if (found.state === "PENDING" || found.state === "RUNNING")
        throw new AppError("CONFLICT", `the snapshot ${id} is being taken; try again`);
      const [user] = await selectRestores(tx, `where ${unfinished} and (snapshot_id = $1 or undo_id = $1)`, id);
      if (user) throw new AppError("CONFLICT", `the snapshot ${id} is being restored; try again`);
      const at = new Date(this.#clock.now());
      await tx.query("update orchestration.snapshots set removal_requested_at = $2 where id = $1", [id, at]);
      return found.appName;
    });
    if (appName !== undefined) await sendReconcileRequest(this.#database, appName);
  }

  #snapshotOf({ id, ...request }: SnapshotRequest): AppSnapshot {
    const createdAt = new Date(this.#clock.now());
    return { ...request, id: id ?? uuidv7(createdAt.getTime()), state: "PENDING", storage: [], createdAt };
  }
}

/** Locks the snapshot until the request is stored, so that it is not deleted in between. */
async function requireComplete(tx: SqlExecutor, snapshotId: string): Promise<void> {
  const condition = "where id = $1 and removal_requested_at is null for update";
  const [found] = await selectSnapshots(tx, condition, snapshotId);
  if (!found) throw new AppError("NOT_FOUND", `there is no snapshot ${snapshotId}`);
  if (found.state === "COMPLETED") return;
  const state = found.state === "FAILED" ? `failed: ${found.error}` : "is not complete yet";
  throw new AppError("INVALID_STATE", `the snapshot ${snapshotId} ${state}`);
}

function presented({ removalRequestedAt: _removal, ...snapshot }: StoredSnapshot): AppSnapshot {
  return snapshot;
}
