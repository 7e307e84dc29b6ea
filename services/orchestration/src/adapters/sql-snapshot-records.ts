import type { AppSnapshot, SnapshotRestore } from "@appserver/contracts/deployments";
import type { Database, Transaction } from "@appserver/kernel/ports";
import type { SnapshotRecords, SnapshotResult, SnapshotWork, StoredSnapshot, Writer } from "../ports.ts";
import { checkFence } from "./check-fence.ts";
import {
  insertRestore,
  insertSnapshot,
  isTaken,
  selectRestores,
  selectSnapshots,
  unfinished,
  unfinishedOf,
} from "./snapshot-rows.ts";

/** A snapshot that a restore needs is not deleted. */
const isUnused = `not exists (select from orchestration.snapshot_restores used
  where used.${unfinished} and (used.snapshot_id = kept.id or used.undo_id = kept.id))`;

export class SqlSnapshotRecords implements SnapshotRecords {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async work(appName: string, operationId: string | undefined): Promise<SnapshotWork> {
    const due = "where app_name = $1 and (state in ('PENDING', 'RUNNING') or operation_id = $2";
    const parameters = [appName, operationId ?? null];
    // A restore may have been requested at the moment when the removal was.
    const removable = `removal_requested_at is not null and ${isUnused.replaceAll("kept.id", "snapshots.id")}`;
    const [snapshots, restores] = await Promise.all([
      selectSnapshots(this.#database, `${due} or ${removable}) order by id`, ...parameters),
      selectRestores(this.#database, `${due}) order by id`, ...parameters),
    ]);
    return {
      snapshots: snapshots.filter(({ removalRequestedAt }) => removalRequestedAt === undefined),
      removals: snapshots.filter(({ removalRequestedAt }) => removalRequestedAt !== undefined),
      restores,
    };
  }

  async ofApp(appId: string): Promise<readonly StoredSnapshot[]> {
    return await selectSnapshots(this.#database, "where app_id = $1 order by id", appId);
  }

  async userOf(appId: string): Promise<string | undefined> {
    const { rows } = await this.#database.query<{ readonly app_name: string }>(
      `select used.app_name from orchestration.snapshot_restores used
       join orchestration.snapshots kept on kept.id = used.snapshot_id
       where used.${unfinished} and kept.app_id = $1 and used.app_id <> $1 limit 1`,
      [appId],
    );
    return rows[0]?.app_name;
  }

  async find(id: string): Promise<StoredSnapshot | undefined> {
    return (await selectSnapshots(this.#database, "where id = $1", id))[0];
  }

  async appNames(): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ readonly app_name: string }>(
      `select app_name from orchestration.snapshots where ${unfinished} or removal_requested_at is not null
       union select app_name from orchestration.snapshot_restores where ${unfinished}`,
    );
    return rows.map(({ app_name }) => app_name);
  }

  async add(writer: Writer, snapshot: AppSnapshot, restore?: SnapshotRestore): Promise<void> {
    await this.#fenced(writer, async (tx) => {
      if (restore) await insertRestore(tx, restore);
      await insertSnapshot(tx, snapshot);
    }).catch((error: unknown) => {
      throw isTaken(error) ? unfinishedOf(snapshot.appName, `a snapshot of it (${snapshot.reason})`) : error;
    });
  }

  async setRunning(writer: Writer, id: string, isRunning: boolean): Promise<void> {
    await this.#fenced(writer, async (tx) => {
      await tx.query(`update orchestration.snapshots set state = $2 where id = $1 and ${unfinished}`, [
        id,
        isRunning ? "RUNNING" : "PENDING",
      ]);
    });
  }

  async complete(writer: Writer, id: string, result: SnapshotResult, at: Date): Promise<void> {
    const { pausedMs, databaseBytes, storage } = result;
    await this.#fenced(writer, async (tx) => {
      await tx.query(
        `update orchestration.snapshots
         set state = 'COMPLETED', error = null, paused_ms = $2, database_bytes = $3, storage = $4, finished_at = $5
         where id = $1 and ${unfinished}`,
        [id, pausedMs ?? null, databaseBytes ?? null, JSON.stringify(storage), at],
      );
    });
  }

  async fail(writer: Writer, id: string, problem: string, at: Date): Promise<void> {
    await this.#fenced(writer, async (tx) => {
      await tx.query(
        `update orchestration.snapshots set state = 'FAILED', error = $2, finished_at = $3 where id = $1 and ${unfinished}`,
        [id, problem, at],
      );
    });
  }

  async setRestoring(writer: Writer, id: string, isRunning: boolean): Promise<void> {
    await this.#fenced(writer, async (tx) => {
      await tx.query(`update orchestration.snapshot_restores set state = $2 where id = $1 and ${unfinished}`, [
        id,
        isRunning ? "RUNNING" : "PENDING",
      ]);
    });
  }

  async finishRestore(writer: Writer, id: string, problem: string | undefined, at: Date): Promise<void> {
    await this.#fenced(writer, async (tx) => {
      await tx.query(
        `update orchestration.snapshot_restores set state = $2, error = $3, finished_at = $4 where id = $1 and ${unfinished}`,
        [id, problem === undefined ? "COMPLETED" : "FAILED", problem ?? null, at],
      );
    });
  }

  async remove(writer: Writer, id: string): Promise<void> {
    await this.#fenced(writer, async (tx) => {
      await tx.query("delete from orchestration.snapshots where id = $1", [id]);
    });
  }

  async forget(writer: Writer, appId: string): Promise<void> {
    await this.#fenced(writer, async (tx) => {
      await tx.query("delete from orchestration.snapshots where app_id = $1", [appId]);
      await tx.query("delete from orchestration.snapshot_restores where app_id = $1", [appId]);
    });
  }

  async removeSurplus(writer: Writer, appId: string, keep: number, at: Date): Promise<void> {
    await this.#fenced(writer, async (tx) => {
      // Each list is sorted by what is kept first. Failed ones have no copies that could be restored.
      for (const [state, order] of [
        ["COMPLETED", "kept.id = newest desc, reason = 'manual' desc, id desc"],
        ["FAILED", "id desc"],
      ] as const)
        await tx.query(
          `update orchestration.snapshots set removal_requested_at = $3 where id in (
             select id from (
               select id, reason, max(id::text) over ()::uuid as newest from orchestration.snapshots
               where app_id = $1 and state = '${state}' and expires_at is null and removal_requested_at is null
             ) kept
             where ${isUnused} order by ${order} offset $2)`,
          [appId, keep, at],
        );
    });
  }

  async expire(now: Date): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ readonly app_name: string }>(
      `update orchestration.snapshots kept set removal_requested_at = $1
       where expires_at <= $1 and removal_requested_at is null and not (${unfinished}) and ${isUnused}
       returning app_name`,
      [now],
    );
    return rows.map(({ app_name }) => app_name);
  }

  async #fenced(writer: Writer, change: (tx: Transaction) => Promise<void>): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await checkFence(tx, writer);
      await change(tx);
    });
  }
}
