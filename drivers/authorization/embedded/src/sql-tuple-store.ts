import type { ChannelSubscription, Database, Transaction } from "@appserver/kernel/ports";
import type { ConditionalTuple, TupleCondition } from "./relationship.ts";
import type { TupleChange, TupleFilter, TupleStore } from "./tuple-store.ts";

interface TupleRow {
  readonly object: string;
  readonly relation: string;
  readonly subject: string;
  readonly condition: TupleCondition | null;
}

/** A change row. Every column is null if the revision has no changes to join. */
interface ChangeRow {
  readonly value: number;
  readonly kept_from: number;
  readonly deleted: boolean | null;
  readonly object: string;
  readonly relation: string;
  readonly subject: string;
  readonly condition: TupleCondition | null;
}

/** NOTIFY channel for changes by other processes on the same database; the payload is the new revision. */
const channel = "appserver_tuples";
/** Number of revisions whose changes are kept for processes that fell behind. Processes further behind reload everything. */
const keptRevisions = 10_000;

/** Stores tuples in PostgreSQL, in the tables of `authorizationMigrations`. Rejects with the database port's DatabaseError. */
export class SqlTupleStore implements TupleStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async load(): Promise<{ revision: number; tuples: readonly ConditionalTuple[] }> {
    // Both reads must see one state; otherwise a change between them would be lost or counted twice.
    return this.#database.transaction(
      async (tx) => {
        const revision = await tx.query<{ value: number }>("select value from authz.revision");
        const tuples = await tx.query<TupleRow>("select object, relation, subject, condition from authz.tuple");
        return { revision: revision.rows[0]?.value ?? 0, tuples: tuples.rows.map(toTuple) };
      },
      { isolation: "repeatable read" },
    );
  }

  async changesSince(revision: number): Promise<{ revision: number; changes: readonly TupleChange[] } | undefined> {
    const { rows } = await this.#database.query<ChangeRow>(
      `select r.value, r.kept_from, c.deleted, c.object, c.relation, c.subject, c.condition
         from authz.revision r left join authz.change c on c.revision > $1
        order by c.revision, c.position`,
      [revision],
    );
    const [first] = rows;
    // A value below our revision means that the database was restored from a copy.
    if (!first || first.value < revision || first.kept_from > revision + 1) return undefined;
    const changes = rows.flatMap((row) => (row.deleted === null ? [] : [{ deleted: row.deleted, tuple: toTuple(row) }]));
    return { revision: first.value, changes };
  }

  async apply(writes: readonly ConditionalTuple[], deletes: readonly ConditionalTuple[]): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const { rows } = await tx.query<{ value: number; kept_from: number }>(
        `update authz.revision
            set value = value + 1, kept_from = greatest(kept_from, value + 1 - $1)
        returning value, kept_from`,
        [keptRevisions],
      );
      const [revision] = rows;
      if (!revision) throw new Error("authz.revision has lost its row");
      const deleted = await deleteTuples(tx, deletes);
      const written = await writeTuples(tx, writes);
      if (deleted.length + written.length === 0) return;
      await recordChanges(tx, revision.value, [
        ...deleted.map((tuple) => ({ deleted: true, tuple })),
        ...written.map((tuple) => ({ deleted: false, tuple })),
      ]);
      await tx.query("delete from authz.change where revision < $1", [revision.kept_from]);
      await tx.query("select pg_notify($1, $2)", [channel, String(revision.value)]);
    });
  }

  async read({ user, relation, object }: TupleFilter): Promise<readonly ConditionalTuple[]> {
    const wholeType = object?.endsWith(":") ?? false;
    const { rows } = await this.#database.query<TupleRow>(
      `select object, relation, subject, condition from authz.tuple
        where ($1::text is null or subject = $1)
          and ($2::text is null or relation = $2)
          and ($3::text is null or object = $3)
          and ($4::text is null or starts_with(object, $4))
        order by object, relation, subject`,
      [user ?? null, relation ?? null, wholeType ? null : (object ?? null), wholeType ? object : null],
    );
    return rows.map(toTuple);
  }

  watch(onChange: () => void): Promise<ChannelSubscription> {
    return this.#database.listen(
      channel,
      () => onChange(),
      () => onChange(),
    );
  }

  ping(timeoutMs?: number): Promise<void> {
    return this.#database.ping(timeoutMs);
  }
}

function toTuple({ object, relation, subject, condition }: TupleRow): ConditionalTuple {
  return { user: subject, relation, object, ...(condition && { condition }) };
}

/** Returns one array per column, for `unnest`. */
function columns(tuples: readonly ConditionalTuple[]): readonly unknown[] {
  return [
    tuples.map((tuple) => tuple.object),
    tuples.map((tuple) => tuple.relation),
    tuples.map((tuple) => tuple.user),
    tuples.map((tuple) => (tuple.condition ? JSON.stringify(tuple.condition) : null)),
  ];
}

const listed = "unnest($1::text[], $2::text[], $3::text[], $4::text[]) as given (object, relation, subject, condition)";

async function deleteTuples(tx: Transaction, tuples: readonly ConditionalTuple[]): Promise<ConditionalTuple[]> {
  if (tuples.length === 0) return [];
  const { rows } = await tx.query<TupleRow>(
    `delete from authz.tuple t using ${listed}
      where t.object = given.object and t.relation = given.relation and t.subject = given.subject
  returning t.object, t.relation, t.subject, t.condition`,
    columns(tuples),
  );
  return rows.map(toTuple);
}

/** Returns the tuples that did not exist before in exactly this form. */
async function writeTuples(tx: Transaction, tuples: readonly ConditionalTuple[]): Promise<ConditionalTuple[]> {
  if (tuples.length === 0) return [];
  const { rows } = await tx.query<TupleRow>(
    `insert into authz.tuple as t (object, relation, subject, condition)
     select object, relation, subject, condition::jsonb from ${listed}
         on conflict (object, relation, subject) do update set condition = excluded.condition
      where t.condition is distinct from excluded.condition
  returning object, relation, subject, condition`,
    columns(tuples),
  );
  return rows.map(toTuple);
}

async function recordChanges(tx: Transaction, revision: number, changes: readonly TupleChange[]): Promise<void> {
  await tx.query(
    `insert into authz.change (revision, position, deleted, object, relation, subject, condition)
     select $5::bigint, given.position, given.deleted, object, relation, subject, condition::jsonb
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $6::boolean[])
            with ordinality as given (object, relation, subject, condition, deleted, position)`,
    [...columns(changes.map((change) => change.tuple)), revision, changes.map((change) => change.deleted)],
  );
}
