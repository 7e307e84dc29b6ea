import { AppError, type Clock, forEachLimited, type Logger } from "@appserver/kernel";
import type { GroupMemberships, SqlExecutor, Transaction } from "@appserver/kernel/ports";
import type { AccountsDatabase } from "../accounts-database.ts";

export interface GroupSynchronisationDeps {
  readonly database: AccountsDatabase;
  /** Undefined where no server of the platform runs. */
  readonly memberships: (() => Promise<GroupMemberships>) | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export const scimSource = "scim";
const maxMs = 20_000;
/** Each holds up to three connections to the database. */
const parallel = 2;
const batch = 200;

/**
 * Writes the groups of people as permissions. The tables of groups are the truth: people whose groups could not be written are stale, and are
 * written after the next change of a group, and every minute.
 */
export class GroupSynchronisation {
  readonly #deps: GroupSynchronisationDeps;

  constructor(deps: GroupSynchronisationDeps) {
    this.#deps = deps;
  }

  /** Notes that the groups of people have changed, in the transaction of the change. */
  async mark(tx: SqlExecutor, personIds: readonly string[]): Promise<void> {
    // In one order, so that two changes do not wait for each other.
    await tx.query(
      `update accounts.scim_users set groups_stale = true where person_id in (
         select person_id from accounts.scim_users where person_id = any($1) order by person_id for no key update
       )`,
      [personIds],
    );
  }

  /** Writes the groups of all stale people. Rejects with SERVICE_UNAVAILABLE if not all could be written. */
  async writeStale(): Promise<void> {
    const { database, clock, logger } = this.#deps;
    const deadline = clock.monotonic() + maxMs;
    const failed = new Set<string>();
    let isLate = false;
    for (let after: string | undefined = ""; after !== undefined && !isLate; ) {
      const ids = await staleAfter(database, after);
      after = ids.length < batch ? undefined : ids.at(-1);
      await forEachLimited(ids, parallel, async (id) => {
        isLate ||= clock.monotonic() > deadline;
        if (isLate) return;
        try {
          await this.#write(id);
        } catch (error) {
          failed.add(id);
          logger.warn({ err: error, userId: id }, "accounts: the groups of a person could not be written");
        }
      });
    }
    if (failed.size === 0 && !isLate) return;
    throw new AppError(
      "SERVICE_UNAVAILABLE",
      "the change is stored, but its groups are not permissions yet: repeat the request",
      {
        dependency: "authorization",
      },
    );
  }

  /** Takes a person out of all groups, before the account is deleted in this transaction. */
  async leaveAll(userId: string): Promise<void> {
    const memberships = await this.#deps.memberships?.();
    await memberships?.replace({ userId, source: scimSource, groups: [] });
  }

  /** Returns whether the account must stay as it is, because there would be no administrator. It is true until the transaction ends. */
  async isLastAdministrator(tx: Transaction, userId: string): Promise<boolean> {
    const memberships = await this.#deps.memberships?.();
    return (await memberships?.isLastAdministrator(tx, userId)) ?? false;
  }

  /** The row is locked until the groups are written: two servers that write at the same time would overwrite the later truth. */
  async #write(userId: string): Promise<void> {
    const { database } = this.#deps;
    const memberships = await this.#deps.memberships?.();
    await database.transaction(async (tx) => {
      const stale = await tx.query(
        "select 1 from accounts.scim_users where person_id = $1 and groups_stale for no key update",
        [userId],
      );
      if (stale.rows.length === 0) return;
      const { rows } = await tx.query<{ name: string }>(
        `select g.display_name as name from accounts.scim_members m join accounts.scim_groups g on g.id = m.group_id
         where m.person_id = $1 order by g.id`,
        [userId],
      );
      await memberships?.replace({ userId, source: scimSource, groups: rows.map(({ name }) => name) });
      await tx.query("update accounts.scim_users set groups_stale = false where person_id = $1", [userId]);
    });
  }
}

async function staleAfter(database: SqlExecutor, after: string): Promise<readonly string[]> {
  const { rows } = await database.query<{ id: string }>(
    `select person_id as id from accounts.scim_users where groups_stale and person_id > $1 order by person_id limit ${batch}`,
    [after === "" ? "00000000-0000-0000-0000-000000000000" : after],
  );
  return rows.map(({ id }) => id);
}
