import { AppError } from "@appserver/kernel";
import type { Database, SqlExecutor, Transaction } from "@appserver/kernel/ports";
import type { DeclaredHook, HookSources, OpenStream, PushableHooks, SubscriptionStore, SyncedApp } from "../ports.ts";
import { hooksChannel } from "./store-triggers.ts";

export interface SqlSubscriptionStoreOptions {
  readonly database: Database;
  readonly replica: string;
  /** A replica without a heartbeat for this long is considered dead. */
  readonly replicaTimeoutMs: number;
  /** How long a subscription that only a stream created is kept after its stream was last open. */
  readonly streamSubscriptionMs: number;
}

/** Hooks that the streams of one app may name, besides those of its manifest (docs/interface/limits.md#hooks). */
const maxNamesOfStreams = 1_000;

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
        `update hooks.subscriptions set declared = false, path = null, synced_at = clock_timestamp()
         where app_name = $1 and declared and hook_name <> all ($2::text[])`,
        [appName, hooks.map(({ hookName }) => hookName)],
      );
      await tx.query(
        `insert into hooks.subscriptions (hook_name, app_name, path, declared, declared_by, synced_at)
         select hook_name, $1, path, true, $2, clock_timestamp() from unnest($3::text[], $4::text[]) as hook (hook_name, path)
         on conflict (hook_name, app_name) do update set path = excluded.path, declared = true,
           disabled_at = case when subscriptions.declared_by = $2 then subscriptions.disabled_at end,
           declared_by = $2, synced_at = excluded.synced_at`,
        [appName, declaredBy, hooks.map(({ hookName }) => hookName), hooks.map(({ path }) => path ?? null)],
      );
      await writeSources(tx, appName, sources);
      await tellOfChange(tx);
    });
  }

  async synced(): Promise<readonly SyncedApp[]> {
    const { rows } = await this.#database.query<{ app_name: string; token: string }>(
      "select app_name, max(synced_at)::text as token from hooks.subscriptions group by app_name",
    );
    return rows.map(({ app_name, token }) => ({ appName: app_name, token }));
  }

  async remove({ appName, token }: SyncedApp): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const { count } = await tx.query(
        `delete from hooks.subscriptions where app_name = $1
           and not exists (select 1 from hooks.subscriptions where app_name = $1 and synced_at > $2::timestamptz)`,
        [appName, token],
      );
      if (count === 0) return;
      await tx.query(
        `update hooks.deliveries set status = 'DROPPED', due_at = null, claimed_by = null, updated_at = now(),
           error = '{"code": "CANCELED", "message": "the app was uninstalled"}'
         where app_name = $1 and due_at is not null`,
        [appName],
      );
      await tellOfChange(tx);
    });
  }

  async pushable(): Promise<readonly PushableHooks[]> {
    const { rows } = await this.#database.query<{ app_name: string; hook_names: string[]; paths: string[] }>(
      `select app_name, array_agg(hook_name) as hook_names, array_agg(path) as paths from hooks.subscriptions
       where declared and path is not null and disabled_at is null group by app_name`,
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
        `insert into hooks.subscriptions (hook_name, app_name, declared, stream_seen_at, synced_at)
         select hook_name, $1, false, now(), clock_timestamp() from unnest($2::text[]) as hook_name order by hook_name
         on conflict (hook_name, app_name) do update set stream_seen_at = now(), disabled_at = null,
           synced_at = clock_timestamp()`,
        [stream.appName, stream.hookNames ?? []],
      );
      await this.#boundNames(tx, stream.appName);
      await writeSources(tx, stream.appName, sources);
      if (!stream.hookNames)
        await tx.query(
          "update hooks.subscriptions set disabled_at = null where app_name = $1 and declared and disabled_at is not null",
          [stream.appName],
        );
      await tellOfChange(tx);
    });
  }

  async closeStream(id: string): Promise<void> {
    await this.#database.query("delete from hooks.streams where id = $1", [id]);
    await tellOfChange(this.#database);
  }

  async hooksOf(appName: string): Promise<readonly string[]> {
    const text = "select hook_name from hooks.subscriptions where app_name = $1";
    const { rows } = await this.#database.query<{ hook_name: string }>(text, [appName]);
    return rows.map(({ hook_name }) => hook_name);
  }

  permit(appName: string, sources: HookSources): Promise<void> {
    return writeSources(this.#database, appName, sources);
  }

  async hasStream(appName: string, hookName: string): Promise<boolean> {
    const { count } = await this.#database.query(
      "select 1 from hooks.streams where app_name = $1 and (hook_names is null or $2 = any (hook_names)) limit 1",
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
      `with dead as (
         delete from hooks.replicas where id in (
           select id from hooks.replicas where seen_at < now() - $1 * interval '1 millisecond' for update skip locked)
         returning id
       ), freed as (
         update hooks.deliveries set due_at = now()
         where status = 'SENDING' and due_at is not null and claimed_by in (select id from dead)
         returning app_name
       )
       select pg_notify('${hooksChannel}', app_name) from (select distinct app_name from freed) as apps`,
      [this.#options.replicaTimeoutMs],
    );
    const named = streams.flatMap(({ appName, hookNames = [] }) => hookNames.map((hookName) => ({ appName, hookName })));
    if (named.length === 0) return;
    await this.#database.query(
      `update hooks.subscriptions as subscription set stream_seen_at = now()
       from unnest($1::text[], $2::text[]) as seen (app_name, hook_name)
       where subscription.app_name = seen.app_name and subscription.hook_name = seen.hook_name
         and subscription.stream_seen_at < now() - interval '1 minute'`,
      [named.map(({ appName }) => appName), named.map(({ hookName }) => hookName)],
    );
  }

  async leave(): Promise<void> {
    await this.#database.query("delete from hooks.replicas where id = $1", [this.#options.replica]);
    await tellOfChange(this.#database);
  }

  /** Deletes what closed streams left behind. Throws RATE_LIMIT_EXCEEDED if streams named too many hooks of the app. */
  async #boundNames(tx: Transaction, appName: string): Promise<void> {
    const { streamSubscriptionMs } = this.#options;
    const { rows } = await tx.query<{ count: number }>(
      `with expired as (
         delete from hooks.subscriptions where app_name = $1 and not declared
           and stream_seen_at < now() - $2 * interval '1 millisecond'
         returning 1
       )
       select (select count(*) from hooks.subscriptions where app_name = $1 and not declared)::int
         - (select count(*) from expired)::int as count`,
      [appName, streamSubscriptionMs],
    );
    if ((rows[0]?.count ?? 0) <= maxNamesOfStreams) return;
    const message = `app:${appName} has streams of ${maxNamesOfStreams} hooks already; a hook counts until an hour after its last stream`;
    throw new AppError("RATE_LIMIT_EXCEEDED", message, { details: { limit: maxNamesOfStreams } });
  }

  /** Updates this replica's heartbeat. Returns true if the replica was not registered. */
  async #appear(executor: SqlExecutor): Promise<boolean> {
    const { rows } = await executor.query<{ fresh: boolean }>(
      `insert into hooks.replicas (id, seen_at) values ($1, now())
       on conflict (id) do update set seen_at = now() returning xmax = 0 as fresh`,
      [this.#options.replica],
    );
    return rows[0]?.fresh === true;
  }

  async #insertStreams(executor: SqlExecutor, streams: readonly OpenStream[]): Promise<void> {
    for (const { id, appName, hookNames } of streams)
      await executor.query(
        "insert into hooks.streams (id, replica, app_name, hook_names) values ($1, $2, $3, $4) on conflict do nothing",
        [id, this.#options.replica, appName, hookNames ?? null],
      );
  }
}

async function writeSources(executor: SqlExecutor, appName: string, sources: HookSources): Promise<void> {
  const given = [...sources].map(([hook_name, names]) => ({ hook_name, sources: names }));
  await executor.query(
    `update hooks.subscriptions as subscription set sources = permitted.sources
     from (select hook_name, array(select jsonb_array_elements_text(given.sources)) as sources
           from jsonb_to_recordset($2::jsonb) as given (hook_name text, sources jsonb)) as permitted
     where subscription.app_name = $1 and subscription.hook_name = permitted.hook_name
       and subscription.sources <> permitted.sources`,
    [appName, JSON.stringify(given)],
  );
}

async function tellOfChange(executor: SqlExecutor): Promise<void> {
  await executor.query(`select pg_notify('${hooksChannel}', '')`);
}
