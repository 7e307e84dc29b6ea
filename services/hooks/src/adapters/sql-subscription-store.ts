import { AppError } from "@appserver/kernel";
import type { Database, SqlExecutor, Transaction } from "@appserver/kernel/ports";
import type { DeclaredHooks, HookSources, OpenStream, PushableHooks, SubscriptionStore } from "../ports.ts";
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
  /** Whether other replicas considered this one dead and deleted its streams. */
  #isForgotten = true;

  constructor(options: SqlSubscriptionStoreOptions) {
    this.#database = options.database;
    this.#options = options;
  }

  async declare(tx: Transaction, { name, declaredBy, hooks }: DeclaredHooks, sources: HookSources): Promise<void> {
    await lockSubscriptions(tx, name);
    await tx.query(
      `update hooks.subscriptions set declared = false, path = null
       where app_name = $1 and declared and hook_name <> all ($2::text[])`,
      [name, hooks.map(({ hookName }) => hookName)],
    );
    await tx.query(
      `insert into hooks.subscriptions (hook_name, app_name, path, declared, declared_by)
       select hook_name, $1, path, true, $2 from unnest($3::text[], $4::text[]) as hook (hook_name, path) order by hook_name
       on conflict (hook_name, app_name) do update set path = excluded.path, declared = true,
         disabled_at = case when subscriptions.declared_by = $2 then subscriptions.disabled_at end, declared_by = $2`,
      [name, declaredBy, hooks.map(({ hookName }) => hookName), hooks.map(({ path }) => path ?? null)],
    );
    await writeSources(tx, name, sources);
    await notifyOfChange(tx);
  }

  async remove(tx: Transaction, appName: string): Promise<void> {
    await lockSubscriptions(tx, appName);
    const { count } = await tx.query("delete from hooks.subscriptions where app_name = $1", [appName]);
    if (count > 0) await notifyOfChange(tx);
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
      if (await this.#appear(tx)) this.#isForgotten = true;
      await this.#insertStreams(tx, [stream]);
      await lockSubscriptions(tx, stream.appName);
      // An app that opens a stream wants its hooks again, even if its backend ended them with a response to a POST.
      await tx.query(
        `insert into hooks.subscriptions (hook_name, app_name, declared, stream_seen_at)
         select hook_name, $1, false, now() from unnest($2::text[]) as hook_name order by hook_name
         on conflict (hook_name, app_name) do update set stream_seen_at = now(), disabled_at = null`,
        [stream.appName, stream.hookNames ?? []],
      );
      // Not without names: an installed app must keep one subscription while deliveries to it are open.
      if (stream.hookNames) await this.#boundNames(tx, stream.appName);
      await writeSources(tx, stream.appName, sources);
      if (!stream.hookNames)
        await tx.query(
          "update hooks.subscriptions set disabled_at = null where app_name = $1 and declared and disabled_at is not null",
          [stream.appName],
        );
      await notifyOfChange(tx);
    });
  }

  async closeStream(id: string): Promise<void> {
    await this.#database.query("delete from hooks.streams where id = $1", [id]);
    await notifyOfChange(this.#database);
  }

  async subscribed(appName?: string): Promise<ReadonlyMap<string, readonly string[]>> {
    const { rows } = await this.#database.query<{ app_name: string; hook_names: string[] }>(
      `select app_name, array_agg(hook_name) as hook_names from hooks.subscriptions
       where $1::text is null or app_name = $1 group by app_name`,
      [appName ?? null],
    );
    return new Map(rows.map(({ app_name, hook_names }) => [app_name, hook_names]));
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
    // One statement, because every replica repeats it every few seconds.
    const { rows } = await this.#database.query<{ present: boolean }>(
      `with alive as (
         update hooks.replicas set seen_at = now() where id = $2 returning id
       ), dead as (
         delete from hooks.replicas where id in (
           select id from hooks.replicas
           where seen_at < now() - $1 * interval '1 millisecond' and id <> $2 for update skip locked)
         returning id
       ), freed as (
         update hooks.deliveries set due_at = now()
         where status = 'SENDING' and due_at is not null and claimed_by in (select id from dead)
         returning app_name
       ), told as (
         select pg_notify('${hooksChannel}', app_name) from (select distinct app_name from freed) as apps
       )
       select exists (select 1 from alive) as present, (select count(*) from told)`,
      [this.#options.replicaTimeoutMs, this.#options.replica],
    );
    if (this.#isForgotten || rows[0]?.present !== true) {
      await this.#database.transaction(async (tx) => {
        await this.#appear(tx);
        await this.#insertStreams(tx, streams);
      });
      this.#isForgotten = false;
    }
    const named = streams.flatMap(({ appName, hookNames = [] }) => hookNames.map((hookName) => ({ appName, hookName })));
    if (named.length === 0) return;
    await this.#database.query(
      `update hooks.subscriptions set stream_seen_at = now() where (app_name, hook_name) in (
         select app_name, hook_name from hooks.subscriptions
         where (app_name, hook_name) in (select * from unnest($1::text[], $2::text[]))
           and stream_seen_at < now() - interval '1 minute' order by app_name, hook_name for update)`,
      [named.map(({ appName }) => appName), named.map(({ hookName }) => hookName)],
    );
  }

  async leave(): Promise<void> {
    await this.#database.query("delete from hooks.replicas where id = $1", [this.#options.replica]);
    await notifyOfChange(this.#database);
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

async function lockSubscriptions(tx: Transaction, appName: string): Promise<void> {
  await tx.query("select 1 from hooks.subscriptions where app_name = $1 order by hook_name for update", [appName]);
}

async function writeSources(executor: SqlExecutor, appName: string, sources: HookSources): Promise<void> {
  const given = [...sources].map(([hook_name, names]) => ({ hook_name, sources: names }));
  await executor.query(
    `with permitted as (
       select hook_name, array(select jsonb_array_elements_text(given.sources)) as sources
       from jsonb_to_recordset($2::jsonb) as given (hook_name text, sources jsonb)
     ), locked as (
       select hook_name from hooks.subscriptions where app_name = $1 order by hook_name for update
     )
     update hooks.subscriptions as subscription set sources = permitted.sources
     from locked join permitted using (hook_name)
     where subscription.app_name = $1 and subscription.hook_name = locked.hook_name
       and subscription.sources <> permitted.sources`,
    [appName, JSON.stringify(given)],
  );
}

/** Makes every replica read subscriptions and targets again. */
export async function notifyOfChange(executor: SqlExecutor): Promise<void> {
  await executor.query(`select pg_notify('${hooksChannel}', '')`);
}
