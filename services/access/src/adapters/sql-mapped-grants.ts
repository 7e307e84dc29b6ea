import { advisoryLocks } from "@appserver/kernel";
import type { SqlExecutor, Tuple } from "@appserver/kernel/ports";
import type { MappedGrants } from "../ports.ts";

/** Rows of `access.mapped_grants`. */
export const sqlMappedGrants: MappedGrants = {
  async lock(tx: SqlExecutor): Promise<void> {
    await tx.query("select pg_advisory_xact_lock($1)", [advisoryLocks.groupMap]);
  },

  async all(executor: SqlExecutor): Promise<readonly Tuple[]> {
    const { rows } = await executor.query<Tuple>(
      'select subject as "user", relation, object from access.mapped_grants order by subject, relation, object',
    );
    return rows;
  },

  async change(tx: SqlExecutor, added: readonly Tuple[], removed: readonly Tuple[]): Promise<void> {
    await tx.query(
      `insert into access.mapped_grants (subject, relation, object)
       select * from unnest($1::text[], $2::text[], $3::text[]) on conflict do nothing`,
      columns(added),
    );
    await tx.query(
      `delete from access.mapped_grants m using unnest($1::text[], $2::text[], $3::text[]) gone (subject, relation, object)
       where m.subject = gone.subject and m.relation = gone.relation and m.object = gone.object`,
      columns(removed),
    );
  },
};

function columns(tuples: readonly Tuple[]): readonly unknown[] {
  return [tuples.map(({ user }) => user), tuples.map(({ relation }) => relation), tuples.map(({ object }) => object)];
}
