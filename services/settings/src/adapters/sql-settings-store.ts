import { type EventType, eventBody } from "@appserver/contracts/events";
import { column, columns, recordKeyedWork, uuidv7 } from "@appserver/kernel";
import type { AuditLog, AuditRecord, Database, EventEnvelope, Outbox, SqlExecutor, Transaction } from "@appserver/kernel/ports";
import { type StoredSettings, type StoredValue, withChange } from "../domain/stored-settings.ts";
import type { SealedRow, SettingsApp, SettingsChange, SettingsStore } from "../ports.ts";

export interface SqlSettingsStoreOptions {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly audit: AuditLog;
  /** CloudEvents source of this process: `/appserver/<instance>`. */
  readonly source: string;
}

/** The columns of `settings.apps`, and of `settings.values` as `v`. */
const states = columns<Omit<StoredSettings, "values">>({ version: column, updatedAt: column, updatedBy: column });
const storedValues = columns<StoredValue>({
  key: column,
  text: { name: "value" },
  sealed: column,
  updatedAt: { name: "value_updated_at", expression: "v.updated_at" },
});

/** Stores settings in PostgreSQL, schema `settings`. */
export class SqlSettingsStore implements SettingsStore {
  readonly #options: SqlSettingsStoreOptions;

  constructor(options: SqlSettingsStoreOptions) {
    this.#options = options;
  }

  load(appId: string): Promise<StoredSettings> {
    return loadSettings(this.#options.database, appId);
  }

  async valuesOf(appIds: readonly string[]): Promise<ReadonlyMap<string, readonly StoredValue[]>> {
    const { rows } = await this.#options.database.query<{ app_id: string }>(
      `select v.app_id, ${storedValues.selected} from settings.values v where v.app_id = any($1::uuid[])`,
      [appIds],
    );
    const byApp = Map.groupBy(rows, ({ app_id }) => app_id);
    return new Map([...byApp].map(([appId, ofApp]) => [appId, ofApp.map(storedValues.record)]));
  }

  change(app: SettingsApp, decide: (current: StoredSettings) => Promise<SettingsChange | undefined>): Promise<StoredSettings> {
    return this.#options.database.transaction(async (tx) => {
      // Creates the row or locks it. The next statement reads what the writer before this one left.
      await tx.query(
        `insert into settings.apps as a (app_id, version) values ($1, 0)
         on conflict (app_id) do update set version = a.version`,
        [app.id],
      );
      const current = await loadSettings(tx, app.id);
      const change = await decide(current);
      if (!change) return current;
      await recordKeyedWork(tx, { version: current.version + 1 });
      const next = withChange(current, change, change.audit?.actor);
      await writeChange(tx, app.id, change, next);
      if (change.audit) await this.#publish(tx, app, change, change.audit);
      return next;
    });
  }

  async #publish(tx: Transaction, app: SettingsApp, { sets, removes, at }: SettingsChange, entry: AuditRecord): Promise<void> {
    const { outbox, audit, source } = this.#options;
    const keys = [...sets.map(({ key }) => key), ...removes].sort();
    await outbox.append(tx, [settingsUpdated(app, keys, entry.actor, at, source)]);
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
  const { rows } = await sql.query<{ key: string | null }>(
    `select a.version, a.updated_at, a.updated_by, ${storedValues.selected}
     from settings.apps a left join settings.values v using (app_id) where app_id = $1 order by key collate "C"`,
    [appId],
  );
  const [app] = rows;
  const values = rows.flatMap((row) => (row.key === null ? [] : [storedValues.record(row)]));
  return app ? { ...states.record(app), values } : { version: 0, updatedAt: undefined, updatedBy: undefined, values };
}

async function writeChange(
  tx: Transaction,
  appId: string,
  { sets, removes, at }: SettingsChange,
  { version, updatedAt, updatedBy }: StoredSettings,
): Promise<void> {
  await tx.query(
    `with removed as (
       delete from settings.values where app_id = $1 and key = any($2)
     ), written as (
       insert into settings.values (app_id, key, value, sealed, updated_at)
       select $1, key, value, sealed, $6 from unnest($3::text[], $4::text[], $5::boolean[]) as given (key, value, sealed)
       on conflict (app_id, key) do update
         set value = excluded.value, sealed = excluded.sealed, updated_at = excluded.updated_at
     )
     update settings.apps set version = $7, updated_at = $8, updated_by = $9 where app_id = $1`,
    [
      appId,
      removes,
      sets.map(({ key }) => key),
      sets.map(({ text }) => text),
      sets.map(({ sealed }) => sealed),
      at,
      version,
      updatedAt ?? null,
      updatedBy ?? null,
    ],
  );
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
