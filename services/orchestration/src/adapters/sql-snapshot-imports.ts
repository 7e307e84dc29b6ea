import type { AppSnapshot, ImportedData, ImportRequest, SnapshotImports } from "@appserver/contracts/deployments";
import { AppError, type Clock, uuidv7 } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import { sendReconcileRequest } from "./reconcile-requests.ts";
import { insertSnapshot } from "./snapshot-rows.ts";

const problem = "the import did not come to its end";
/** A snapshot that the orchestrator failed to take has an end. */
const isBegun = "state = 'FAILED' and finished_at is null and removal_requested_at is null";

export class SqlSnapshotImports implements SnapshotImports {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
    this.#database = database;
    this.#clock = clock;
  }

  async begin(request: ImportRequest): Promise<AppSnapshot> {
    const createdAt = new Date(this.#clock.now());
    const id = uuidv7(createdAt.getTime());
    const state = { state: "FAILED", error: problem, storage: [], createdAt } as const;
    const snapshot: AppSnapshot = { ...request, id, reason: "backup", ...state };
    await this.#database.transaction(async (tx) => {
      await tx.query(
        `update orchestration.snapshots set removal_requested_at = $2 where app_id = $1 and reason = 'backup' and ${isBegun}`,
        [request.appId, createdAt],
      );
      await insertSnapshot(tx, snapshot);
    });
    await sendReconcileRequest(this.#database, request.appName);
    return snapshot;
  }

  async complete(id: string, { databaseBytes, storage, pausedMs }: ImportedData): Promise<void> {
    const { rows } = await this.#database.query(
      `update orchestration.snapshots
       set state = 'COMPLETED', error = null, database_bytes = $2, storage = $3, paused_ms = $4, finished_at = $5
       where id = $1 and ${isBegun} returning id`,
      [id, databaseBytes ?? null, JSON.stringify(storage), pausedMs ?? null, new Date(this.#clock.now())],
    );
    if (rows.length === 0) throw new AppError("NOT_FOUND", `there is no import ${id} any more`);
  }
}
