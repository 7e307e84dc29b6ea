import { AppError, column, columns, type Logger, recordKeyedWork } from "@appserver/kernel";
import type { AuditLog, AuditRecord, Database, SqlExecutor, Transaction } from "@appserver/kernel/ports";
import { type NotificationTarget, type ReachableTarget, subscriberOf } from "../../domain/targets/target.ts";
import type { TargetEvent } from "../../domain/targets/target-message.ts";
import type { NewTarget, SecretSeal, TargetBacklog, TargetChange, TargetStore } from "../../ports.ts";
import { notifyOfChange } from "../sql-subscription-store.ts";
import { fanOut } from "./fan-out.ts";
import { targetSecretPlace } from "./target-secret-place.ts";

export interface SqlTargetStoreOptions {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly seal: SecretSeal;
  /** Deletes the deliveries to a subscriber, in steps. */
  readonly forget: (subscriber: string) => Promise<void>;
  readonly logger: Logger;
}

const targets = columns<NotificationTarget>({
  id: column,
  name: column,
  kind: column,
  address: column,
  types: column,
  isEnabled: column,
  isConfigured: column,
  createdAt: column,
  createdBy: column,
  revision: column,
});

type NameRow = Pick<NotificationTarget, "id" | "name">;
type SealedRow = { readonly id: string; readonly sealed_secret: string | null };

/** Lists show no more exact number. */
const maxCounted = 10_000;

/** Notification targets in PostgreSQL, schema `hooks`. */
export class SqlTargetStore implements TargetStore {
  readonly #options: SqlTargetStoreOptions;

  constructor(options: SqlTargetStoreOptions) {
    this.#options = options;
  }

  async list(): Promise<readonly NotificationTarget[]> {
    const { rows } = await this.#options.database.query(`select ${targets.selected} from hooks.targets order by name`);
    return rows.map(targets.record);
  }

  async reachable(): Promise<readonly ReachableTarget[]> {
    const { database, logger } = this.#options;
    const { rows } = await database.query<SealedRow>(
      `select ${targets.selected}, sealed_secret from hooks.targets where is_enabled order by id`,
    );
    const opened: ReachableTarget[] = [];
    for (const row of rows) {
      try {
        opened.push(await this.#open(row));
      } catch (error) {
        logger.error({ err: error, target: row.id }, "hooks: the secret of a notification target cannot be opened");
      }
    }
    return opened;
  }

  async find(id: string): Promise<NotificationTarget | undefined> {
    const { rows } = await this.#options.database.query(`select ${targets.selected} from hooks.targets where id = $1`, [id]);
    return rows[0] && targets.record(rows[0]);
  }

  async findReachable(id: string): Promise<ReachableTarget | undefined> {
    const { rows } = await this.#options.database.query<SealedRow>(
      `select ${targets.selected}, sealed_secret from hooks.targets where id = $1`,
      [id],
    );
    return rows[0] && this.#open(rows[0]);
  }

  async add(target: NewTarget, after: string, max: number, audit: AuditRecord | undefined): Promise<void> {
    const sealed = await this.#seal(target);
    await this.#options.database.transaction(async (tx) => {
      await tx.query("lock table hooks.targets in share row exclusive mode");
      const { rows } = await tx.query<NameRow>("select id, name from hooks.targets");
      requireFree(rows, target);
      if (rows.length >= max)
        throw new AppError("INVALID_STATE", `there are ${rows.length} notification targets; at most ${max} are allowed`);
      await insert(tx, target, sealed, after);
      await recordKeyedWork(tx, { targetId: target.id });
      if (audit) await this.#options.audit.record(tx, audit);
      await notifyOfChange(tx);
    });
  }

  async configure(configured: readonly NewTarget[], after: string): Promise<void> {
    const sealed = await Promise.all(configured.map((target) => this.#seal(target)));
    const removed = await this.#options.database.transaction(async (tx) => {
      await tx.query("lock table hooks.targets in share row exclusive mode");
      const { rows } = await tx.query<{ id: string }>(
        "delete from hooks.targets where is_configured and id <> all ($1::uuid[]) returning id",
        [configured.map(({ id }) => id)],
      );
      for (const [index, target] of configured.entries()) await insert(tx, target, sealed[index], after);
      if (rows.length > 0 || configured.length > 0) await notifyOfChange(tx);
      return rows;
    });
    for (const { id } of removed) await this.#options.forget(subscriberOf(id));
  }

  async change(id: string, change: TargetChange, audit: AuditRecord | undefined): Promise<boolean> {
    const { name, address, secret, types, isEnabled, after } = change;
    const sealed = await this.#seal({ id, secret });
    return this.#options.database.transaction(async (tx) => {
      if (name !== undefined) {
        await tx.query("lock table hooks.targets in share row exclusive mode");
        requireFree((await tx.query<NameRow>("select id, name from hooks.targets")).rows, { id, name });
      }
      const { count } = await tx.query(
        `update hooks.targets set types = case when $2 then $3::text[] else types end, is_enabled = coalesce($4, is_enabled),
           name = coalesce($6, name), address = coalesce($7, address), sealed_secret = coalesce($8, sealed_secret),
           last_event_id = case when $4 and not is_enabled then $5 else last_event_id end, revision = revision + 1
         where id = $1 and not is_configured`,
        [id, types !== undefined, types ?? null, isEnabled ?? null, after, name ?? null, address ?? null, sealed],
      );
      if (count > 0 && address !== undefined) await forgetWaits(tx, id);
      return this.#changed(tx, id, count, audit);
    });
  }

  async remove(id: string, audit: AuditRecord | undefined): Promise<boolean> {
    const isRemoved = await this.#options.database.transaction(async (tx) => {
      const { count } = await tx.query("delete from hooks.targets where id = $1 and not is_configured", [id]);
      return this.#changed(tx, id, count, audit);
    });
    if (isRemoved) await this.#options.forget(subscriberOf(id));
    return isRemoved;
  }

  async backlogs(): Promise<ReadonlyMap<string, TargetBacklog>> {
    const count = (condition: string): string =>
      `(select count(*)::int from (
          select 1 from hooks.deliveries as delivery where delivery.app_name = target.subscriber and ${condition} limit ${maxCounted}
        ) as counted)`;
    const { rows } = await this.#options.database.query<{ id: string; waiting: number; dead: number }>(
      `select id, ${count("due_at is not null")} as waiting, ${count("status = 'DEAD'")} as dead from hooks.targets as target`,
    );
    return new Map(rows.map(({ id, waiting, dead }) => [id, { waiting, dead }]));
  }

  async position(id: string, max: number): Promise<string | undefined> {
    const { rows } = await this.#options.database.query<{ last_event_id: string }>(
      `select last_event_id from hooks.targets as target where id = $1 and is_enabled and (
         select count(*) from (
           select 1 from hooks.deliveries as delivery
           where delivery.app_name = target.subscriber and due_at is not null limit $2) as waiting) < $2`,
      [id, max],
    );
    return rows[0]?.last_event_id;
  }

  fanOut(id: string, after: string, events: readonly TargetEvent[]): Promise<boolean> {
    return fanOut(this.#options.database, id, after, events);
  }

  async #changed(tx: Transaction, id: string, count: number, audit: AuditRecord | undefined): Promise<boolean> {
    if (count === 0) return false;
    await recordKeyedWork(tx, { targetId: id });
    if (audit) await this.#options.audit.record(tx, audit);
    await notifyOfChange(tx);
    return true;
  }

  async #seal({ id, secret }: Pick<NewTarget, "id" | "secret">): Promise<string | null> {
    if (secret === undefined) return null;
    const { owner, name } = targetSecretPlace(id);
    return this.#options.seal.seal(owner, name, secret);
  }

  async #open(row: SealedRow): Promise<ReachableTarget> {
    const { owner, name } = targetSecretPlace(row.id);
    const secret = row.sealed_secret === null ? undefined : await this.#options.seal.open(owner, name, row.sealed_secret);
    return { ...targets.record(row), secret };
  }
}

function requireFree(rows: readonly NameRow[], target: NameRow): void {
  if (rows.some(({ id, name }) => name === target.name && id !== target.id))
    throw new AppError("CONFLICT", `there is a notification target with the name ${target.name}`);
}

/**
 * Lets every wait of a target end when its next channel opens, because the receiver at the earlier address asked for it or failed during it.
 * The times of the retries stay, so that what fails at the new address too has its retries.
 */
async function forgetWaits(executor: SqlExecutor, id: string): Promise<void> {
  await executor.query(
    `update hooks.deliveries set waits_fully = false, retry_at = null
     where app_name = $1 and status = 'RETRYING' and due_at > now() and due_at < 'infinity'`,
    [subscriberOf(id)],
  );
}

/** Inserts a target. One of the options that is stored already gets new values, and keeps its position. */
async function insert(
  executor: SqlExecutor,
  { id, name, kind, address, types, isEnabled, isConfigured, createdBy }: NewTarget,
  sealed: string | null | undefined,
  after: string,
): Promise<void> {
  await executor.query(
    `insert into hooks.targets as stored
       (id, name, kind, address, sealed_secret, types, is_enabled, is_configured, created_at, created_by, last_event_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, now(), $9, $10)
     on conflict (id) do update set address = excluded.address, sealed_secret = excluded.sealed_secret, types = excluded.types,
       revision = stored.revision + 1`,
    [id, name, kind, address, sealed ?? null, types ?? null, isEnabled, isConfigured, createdBy, after],
  );
}
