import { advisoryLocks } from "@appserver/kernel";
import type { SqlExecutor } from "@appserver/kernel/ports";
import type { GroupReading, GroupReadings } from "../ports.ts";

/** Rows of `access.group_readings`. */
export const sqlGroupReadings: GroupReadings = {
  async lock(tx: SqlExecutor, userId: string): Promise<void> {
    await tx.query("select pg_advisory_xact_lock($1, hashtext($2))", [advisoryLocks.groupsOfPerson, userId]);
  },

  async replace(tx: SqlExecutor, { userId, source, groups }: Omit<GroupReading, "readAt">): Promise<void> {
    await tx.query(
      `insert into access.group_readings (user_id, source, groups) values ($1, $2, $3)
       on conflict (user_id, source) do update set groups = excluded.groups, read_at = now()`,
      [userId, source, groups],
    );
  },

  async of(executor: SqlExecutor, userIds: readonly string[]): Promise<readonly GroupReading[]> {
    const { rows } = await executor.query<GroupReading>(
      `select user_id as "userId", source, groups, read_at as "readAt" from access.group_readings
       where user_id = any($1) order by user_id, source`,
      [userIds],
    );
    return rows;
  },

  async delete(tx: SqlExecutor, userId: string): Promise<void> {
    await tx.query("delete from access.group_readings where user_id = $1", [userId]);
  },

  async isFresh(
    tx: SqlExecutor,
    { userId, source }: Pick<GroupReading, "userId" | "source">,
    maxAgeMs: number,
  ): Promise<boolean> {
    const { rows } = await tx.query(
      `select 1 from access.group_readings
       where user_id = $1 and source = $2 and read_at > now() - $3 * interval '1 millisecond'`,
      [userId, source, maxAgeMs],
    );
    return rows.length === 1;
  },
};
