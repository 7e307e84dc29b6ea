import type { StoredStorage } from "@appserver/contracts/deployments";
import { column, columns } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import type { DeclaredStorage } from "../domain/desired-app.ts";
import type { StorageRecords, StorageUsage } from "../ports.ts";

const storageColumns = columns<StoredStorage>({
  name: column,
  mountPath: column,
  size: column,
  createdAt: column,
  // A number of PostgreSQL that may be larger than any of JavaScript.
  usedBytes: { expression: "used_bytes::text", read: Number },
  measuredAt: column,
});

export class SqlStorageRecords implements StorageRecords {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async save(appId: string, storage: readonly DeclaredStorage[], at: Date): Promise<void> {
    await this.#database.query(
      `insert into orchestration.storage (app_id, name, mount_path, size, created_at)
       select $1, name, mount_path, size, $5 from unnest($2::text[], $3::text[], $4::text[]) as made (name, mount_path, size)
       on conflict (app_id, name) do update set mount_path = excluded.mount_path, size = excluded.size`,
      [appId, storage.map(({ name }) => name), storage.map(({ mountPath }) => mountPath), storage.map(({ size }) => size), at],
    );
  }

  async ofApp(appId: string): Promise<readonly StoredStorage[]> {
    const { rows } = await this.#database.query<object>(
      `select ${storageColumns.selected} from orchestration.storage where app_id = $1 order by name collate "C"`,
      [appId],
    );
    return rows.map(storageColumns.record);
  }

  async saveUsage(usage: readonly StorageUsage[], at: Date): Promise<void> {
    await this.#database.query(
      `update orchestration.storage as kept set used_bytes = measured.used_bytes, measured_at = $4
       from unnest($1::uuid[], $2::text[], $3::bigint[]) as measured (app_id, name, used_bytes)
       where kept.app_id = measured.app_id and kept.name = measured.name`,
      [usage.map(({ appId }) => appId), usage.map(({ name }) => name), usage.map(({ usedBytes }) => usedBytes), at],
    );
  }

  async summary(): Promise<{ readonly count: number; readonly measuredAt: Date | undefined }> {
    const { rows } = await this.#database.query<{ readonly count: number; readonly at: Date | null }>(
      "select count(*)::int as count, max(measured_at) as at from orchestration.storage",
    );
    return { count: rows[0]?.count ?? 0, measuredAt: rows[0]?.at ?? undefined };
  }

  async remove(appId: string, name?: string): Promise<void> {
    await this.#database.query("delete from orchestration.storage where app_id = $1 and ($2::text is null or name = $2)", [
      appId,
      name ?? null,
    ]);
  }
}
