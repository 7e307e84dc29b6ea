import type { Database, SqlExecutor } from "@appserver/kernel/ports";
import type { DeclaredHook, HookSources, OpenStream, PushableHooks, SubscriptionStore, SyncedApp } from "../ports.ts";
import { hooksChannel } from "./store-triggers.ts";

export interface SqlSubscriptionStoreOptions {
  readonly database: Database;
  readonly replica: string;
  /** A replica without a heartbeat for this long is considered dead. */
  readonly replicaTimeoutMs: number;
}

/** Subscriptions, open streams and living replicas in PostgreSQL, schema `hooks`. */
export class SqlSubscriptionStore implements SubscriptionStore {
  readonly #database: Database;
  readonly #options: SqlSubscriptionStoreOptions;

  constructor(options: SqlSubscriptionStoreOptions) {
    this.#database = options.database;
    this.#options = options;
  }

  async sync(appName: string, declaredBy: string, hooks: readonly DeclaredHook[], sources: HookSources): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await tx.query(
        `UPDATE hooks.subscriptions SET declared = false, path = NULL, synced_at = clock_timestamp()
         WHERE app_name = $1 AND declared AND hook_name <> ALL ($2::text[])`,
        [appName, hooks.map(({ hookName }) => hookName)],
      );
      await tx.query(
        `INSERT INTO hooks.subscriptions (hook_name, app_name, path, declared, declared_by, synced_at)
         SELECT hook_name, $1, path, true, $2, clock_timestamp() FROM unnest($3::text[], $4::text[]) AS hook (hook_name, path)
         ON CONFLICT (hook_name, app_name) DO UPDATE SET path = excluded.path, declared = true,
           disabled_at = CASE WHEN subscriptions.declared_by = $2 THEN subscriptions.disabled_at END,
           declared_by = $2, synced_at = excluded.synced_at`,
        [appName, declaredBy, hooks.map(({ hookName }) => hookName), hooks.map(({ path }) => path ?? null)],
      );
      await writeSources(tx, appName, sources);
      await tellOfChange(tx);
    });
  }

  async synced(): Promise<readonly SyncedApp[]> {
    const { rows } = await this.#database.query<{ app_name: string; token: string }>(
      "SELECT app_name, max(synced_at)::text AS token FROM hooks.subscriptions GROUP BY app_name",
    );
    return rows.map(({ app_name, token }) => ({ appName: app_name, token }));
  }

  async remove({ appName, token }: SyncedApp): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const { count } = await tx.query(
        `DELETE FROM hooks.subscriptions WHERE app_name = $1
           AND NOT EXISTS (SELECT 1 FROM hooks.subscriptions WHERE app_name = $1 AND synced_at > $2::timestamptz)`,
        [appName, token],
      );
      if (count === 0) return;
      await tx.query(
        `UPDATE hooks.deliveries SET status = 'DROPPED', due_at = NULL, claimed_by = NULL, updated_at = now(),
           error = '{"code": "CANCELED", "message": "the app was uninstalled"}'
         WHERE app_name = $1 AND due_at IS NOT NULL`,
        [appName],
      );
      await tellOfChange(tx);
    });
  }

  async pushable(): Promise<readonly PushableHooks[]> {
    const { rows } = await this.#database.query<{ app_name: string; hook_names: string[]; paths: string[] }>(
      `SELECT app_name, array_agg(hook_name) AS hook_names, array_agg(path) AS paths FROM hooks.subscriptions
       WHERE declared AND path IS NOT NULL AND disabled_at IS NULL GROUP BY app_name`,
    );
    return rows.map(({ app_name, hook_names, paths }) => ({
      appName: app_name,
      paths: new Map(hook_names.map((name, index) => [name, paths[index] ?? ""])),
    }));
  }

  async openStream(stream: OpenStream, sources: HookSources): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await this.#appear(tx);
      await this.#insertStreams(tx, [stream]);
      // An app that opens a stream wants its hooks again, even if its backend ended them with a response to a POST.
      await tx.query(
        `INSERT INTO hooks.subscriptions (hook_name, app_name, declared, stream_seen_at, synced_at)
         SELECT hook_name, $1, false, now(), clock_timestamp() FROM unnest($2::text[]) AS hook_name ORDER BY hook_name
         ON CONFLICT (hook_name, app_name) DO UPDATE SET stream_seen_at = now(), disabled_at = NULL,
           synced_at = clock_timestamp()`,
        [stream.appName, stream.hookNames ?? []],
      );
      await writeSources(tx, stream.appName, sources);
      if (!stream.hookNames)
        await tx.query(
          "UPDATE hooks.subscriptions SET disabled_at = NULL WHERE app_name = $1 AND declared AND disabled_at IS NOT NULL",
          [stream.appName],
        );
      await tellOfChange(tx);
    });
  }

  async closeStream(id: string): Promise<void> {
    await this.#database.query("DELETE FROM hooks.streams WHERE id = $1", [id]);
    await tellOfChange(this.#database);
  }

  async hooksOf(appName: string): Promise<readonly string[]> {
    const text = "SELECT hook_name FROM hooks.subscriptions WHERE app_name = $1";
    const { rows } = await this.#database.query<{ hook_name: string }>(text, [appName]);
    return rows.map(({ hook_name }) => hook_name);
  }

  permit(appName: string, sources: HookSources): Promise<void> {
    return writeSources(this.#database, appName, sources);
  }

  async hasStream(appName: string, hookName: string): Promise<boolean> {
    const { count } = await this.#database.query(
      "SELECT 1 FROM hooks.streams WHERE app_name = $1 AND (hook_names IS NULL OR $2 = ANY (hook_names)) LIMIT 1",
      [appName, hookName],
    );
    return count > 0;
  }

  async heartbeat(streams: readonly OpenStream[]): Promise<void> {
    await this.#database.transaction(async (tx) => {
      // Other replicas considered this one dead and deleted its streams.
      if (await this.#appear(tx)) await this.#insertStreams(tx, streams);
    });
    await this.#database.query(
      `WITH dead AS (
         DELETE FROM hooks.replicas WHERE id IN (
           SELECT id FROM hooks.replicas WHERE seen_at < now() - $1 * interval '1 millisecond' FOR UPDATE SKIP LOCKED)
         RETURNING id
       ), freed AS (
         UPDATE hooks.deliveries SET due_at = now()
         WHERE status = 'SENDING' AND due_at IS NOT NULL AND claimed_by IN (SELECT id FROM dead)
         RETURNING app_name
       )
       SELECT pg_notify('${hooksChannel}', app_name) FROM (SELECT DISTINCT app_name FROM freed) AS apps`,
      [this.#options.replicaTimeoutMs],
    );
    const named = streams.flatMap(({ appName, hookNames = [] }) => hookNames.map((hookName) => ({ appName, hookName })));
    if (named.length === 0) return;
    await this.#database.query(
      `UPDATE hooks.subscriptions AS subscription SET stream_seen_at = now()
       FROM unnest($1::text[], $2::text[]) AS seen (app_name, hook_name)
       WHERE subscription.app_name = seen.app_name AND subscription.hook_name = seen.hook_name
         AND subscription.stream_seen_at < now() - interval '1 minute'`,
      [named.map(({ appName }) => appName), named.map(({ hookName }) => hookName)],
    );
  }

  async leave(): Promise<void> {
    await this.#database.query("DELETE FROM hooks.replicas WHERE id = $1", [this.#options.replica]);
    await tellOfChange(this.#database);
  }

  /** Updates this replica's heartbeat. Returns true if the replica was not registered. */
  async #appear(executor: SqlExecutor): Promise<boolean> {
    const { rows } = await executor.query<{ fresh: boolean }>(
      `INSERT INTO hooks.replicas (id, seen_at) VALUES ($1, now())
       ON CONFLICT (id) DO UPDATE SET seen_at = now() RETURNING xmax = 0 AS fresh`,
      [this.#options.replica],
    );
    return rows[0]?.fresh === true;
  }

  async #insertStreams(executor: SqlExecutor, streams: readonly OpenStream[]): Promise<void> {
    for (const { id, appName, hookNames } of streams)
      await executor.query(
        "INSERT INTO hooks.streams (id, replica, app_name, hook_names) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        [id, this.#options.replica, appName, hookNames ?? null],
      );
  }
}

async function writeSources(executor: SqlExecutor, appName: string, sources: HookSources): Promise<void> {
  const given = [...sources].map(([hook_name, names]) => ({ hook_name, sources: names }));
  await executor.query(
    `UPDATE hooks.subscriptions AS subscription SET sources = permitted.sources
     FROM (SELECT hook_name, ARRAY(SELECT jsonb_array_elements_text(given.sources)) AS sources
           FROM jsonb_to_recordset($2::jsonb) AS given (hook_name text, sources jsonb)) AS permitted
     WHERE subscription.app_name = $1 AND subscription.hook_name = permitted.hook_name
       AND subscription.sources <> permitted.sources`,
    [appName, JSON.stringify(given)],
  );
}

async function tellOfChange(executor: SqlExecutor): Promise<void> {
  await executor.query(`SELECT pg_notify('${hooksChannel}', '')`);
}
