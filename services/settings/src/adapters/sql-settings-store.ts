import { type EventType, eventBody } from "@appserver/contracts/events";
import { uuidv7 } from "@appserver/kernel";
import type { AuditLog, AuditRecord, Database, EventEnvelope, Outbox, SqlExecutor, Transaction } from "@appserver/kernel/ports";
import type { StoredSettings, StoredValue } from "../domain/stored-settings.ts";
import type { SealedRow, SettingsApp, SettingsChange, SettingsStore } from "../ports.ts";

export interface SqlSettingsStoreOptions {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly audit: AuditLog;
  /** CloudEvents source of this process: `/appserver/<instance>`. */
  readonly source: string;
}

interface AppRow {
  version: number;
  updated_at: Date | null;
  updated_by: string | null;
}

interface ValueRow {
  key: string;
  value: string;
  sealed: boolean;
  value_updated_at: Date;
}

/** Stores settings in PostgreSQL, schema `settings`. */
export class SqlSettingsStore implements SettingsStore {
  readonly #options: SqlSettingsStoreOptions;

  constructor(options: SqlSettingsStoreOptions) {
    this.#options = options;
  }

  load(appId: string): Promise<StoredSettings> {
    return loadSettings(this.#options.database, appId);
  }

  change(app: SettingsApp, decide: (current: StoredSettings) => Promise<SettingsChange | undefined>): Promise<StoredSettings> {
    return this.#options.database.transaction(async (tx) => {
      await tx.query("insert into settings.apps (app_id, version) values ($1, 0) on conflict do nothing", [app.id]);
      // A separate statement: a single statement that waited for the lock would still read the old values.
      await tx.query("select 1 from settings.apps where app_id = $1 for update", [app.id]);
      const current = await loadSettings(tx, app.id);
      const change = await decide(current);
      if (!change) return current;
      await writeValues(tx, app.id, change);
      if (change.audit) await this.#publish(tx, app, change, change.audit);
      return loadSettings(tx, app.id);
    });
  }

  async #publish(tx: Transaction, app: SettingsApp, { sets, removes, at }: SettingsChange, entry: AuditRecord): Promise<void> {
    const { outbox, audit, source } = this.#options;
    const { actor } = entry;
    await tx.query("update settings.apps set version = version + 1, updated_at = $2, updated_by = $3 where app_id = $1", [
      app.id,
      at,
      actor,
    ]);
    const keys = [...sets.map(({ key }) => key), ...removes].sort();
    await outbox.append(tx, [settingsUpdated(app, keys, actor, at, source)]);
    await audit.record(tx, entry);
  }

  async sealedOtherwise(keyId: string, after: SealedRow | undefined, limit: number): Promise<readonly SealedRow[]> {
    const { rows } = await this.#options.database.query<{ app_id: string; key: string; value: string }>(
      `select app_id, key, value from settings.values
       where sealed and not starts_with(value, $1) and ($2::uuid is null or (app_id, key) > ($2, $3))
       order by app_id, key limit $4`,
      [`v1:${keyId}:`, after?.appId ?? null, after?.key ?? "", limit],
    );
    return rows.map(({ app_id, key, value }) => ({ appId: app_id, key, text: value }));
  }

  async reseal(rows: readonly (SealedRow & { readonly next: string })[]): Promise<number> {
    const { count } = await this.#options.database.query(
      `update settings.values v set value = given.next
       from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) as given (app_id, key, before, next)
       where v.app_id = given.app_id and v.key = given.key and v.value = given.before`,
      [rows.map(({ appId }) => appId), rows.map(({ key }) => key), rows.map(({ text }) => text), rows.map(({ next }) => next)],
    );
    return count;
  }

  audit(entry: AuditRecord): Promise<void> {
    const { database, audit } = this.#options;
    return database.transaction((tx) => audit.record(tx, entry));
  }
}

/** Returns the stored settings of an app. Uses one statement, so that values and version are consistent. */
export async function loadSettings(sql: SqlExecutor, appId: string): Promise<StoredSettings> {
  const { rows } = await sql.query<AppRow & (ValueRow | { key: null })>(
    `select a.version, a.updated_at, a.updated_by, v.key, v.value, v.sealed, v.updated_at as value_updated_at
     from settings.apps a left join settings.values v using (app_id) where app_id = $1 order by v.key collate "C"`,
    [appId],
  );
  const [app] = rows;
  return {
    version: app?.version ?? 0,
    updatedAt: app?.updated_at ?? undefined,
    updatedBy: app?.updated_by ?? undefined,
    values: rows.flatMap((row) => (row.key === null ? [] : [toValue(row)])),
  };
}

async function writeValues(tx: Transaction, appId: string, { sets, removes, at }: SettingsChange): Promise<void> {
  if (removes.length > 0) await tx.query("delete from settings.values where app_id = $1 and key = any($2)", [appId, removes]);
  if (sets.length === 0) return;
  await tx.query(
    `insert into settings.values (app_id, key, value, sealed, updated_at)
     select $1, key, value, sealed, $5 from unnest($2::text[], $3::text[], $4::boolean[]) as given (key, value, sealed)
     on conflict (app_id, key) do update
       set value = excluded.value, sealed = excluded.sealed, updated_at = excluded.updated_at`,
    [appId, sets.map(({ key }) => key), sets.map(({ text }) => text), sets.map(({ sealed }) => sealed), at],
  );
}

function toValue({ key, value, sealed, value_updated_at }: ValueRow): StoredValue {
  return { key, text: value, sealed, updatedAt: value_updated_at };
}

function settingsUpdated(app: SettingsApp, keys: readonly string[], actor: string, at: Date, source: string): EventEnvelope {
  const body = eventBody<"settings.updated">(app, at.toISOString(), { keys, actor });
  return {
    id: uuidv7(),
    type: "settings.updated" satisfies EventType,
    source,
    subject: app.name,
    time: body.timestamp,
    actor,
    body: { ...body },
  };
}
