import type { Database, Transaction } from "@appserver/kernel/ports";
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
        const revision = await tx.query<{ value: number }>("SELECT value FROM authz.revision");
        const tuples = await tx.query<TupleRow>("SELECT object, relation, subject, condition FROM authz.tuple");
        return { revision: revision.rows[0]?.value ?? 0, tuples: tuples.rows.map(toTuple) };
      },
      { isolation: "repeatable read" },
    );
  }

  async changesSince(revision: number): Promise<{ revision: number; changes: readonly TupleChange[] } | undefined> {
    const { rows } = await this.#database.query<ChangeRow>(
      `SELECT r.value, r.kept_from, c.deleted, c.object, c.relation, c.subject, c.condition
         FROM authz.revision r LEFT JOIN authz.change c ON c.revision > $1
        ORDER BY c.revision, c.position`,
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
        `UPDATE authz.revision
            SET value = value + 1, kept_from = greatest(kept_from, value + 1 - $1)
        RETURNING value, kept_from`,
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
      await tx.query("DELETE FROM authz.change WHERE revision < $1", [revision.kept_from]);
      await tx.query("SELECT pg_notify($1, $2)", [channel, String(revision.value)]);
    });
  }

  async read({ user, relation, object }: TupleFilter): Promise<readonly ConditionalTuple[]> {
    const wholeType = object?.endsWith(":") ?? false;
    const { rows } = await this.#database.query<TupleRow>(
      `SELECT object, relation, subject, condition FROM authz.tuple
        WHERE ($1::text IS NULL OR subject = $1)
          AND ($2::text IS NULL OR relation = $2)
          AND ($3::text IS NULL OR object = $3)
          AND ($4::text IS NULL OR starts_with(object, $4))
        ORDER BY object, relation, subject`,
      [user ?? null, relation ?? null, wholeType ? null : (object ?? null), wholeType ? object : null],
    );
    return rows.map(toTuple);
  }

  watch(onChange: () => void): Promise<{ close(): Promise<void> }> {
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

const listed = "unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS given (object, relation, subject, condition)";

async function deleteTuples(tx: Transaction, tuples: readonly ConditionalTuple[]): Promise<ConditionalTuple[]> {
  if (tuples.length === 0) return [];
  const { rows } = await tx.query<TupleRow>(
    `DELETE FROM authz.tuple t USING ${listed}
      WHERE t.object = given.object AND t.relation = given.relation AND t.subject = given.subject
  RETURNING t.object, t.relation, t.subject, t.condition`,
    columns(tuples),
  );
  return rows.map(toTuple);
}

/** Returns the tuples that did not exist before in exactly this form. */
async function writeTuples(tx: Transaction, tuples: readonly ConditionalTuple[]): Promise<ConditionalTuple[]> {
  if (tuples.length === 0) return [];
  const { rows } = await tx.query<TupleRow>(
    `INSERT INTO authz.tuple AS t (object, relation, subject, condition)
     SELECT object, relation, subject, condition::jsonb FROM ${listed}
         ON CONFLICT (object, relation, subject) DO UPDATE SET condition = excluded.condition
      WHERE t.condition IS DISTINCT FROM excluded.condition
  RETURNING object, relation, subject, condition`,
    columns(tuples),
  );
  return rows.map(toTuple);
}

async function recordChanges(tx: Transaction, revision: number, changes: readonly TupleChange[]): Promise<void> {
  await tx.query(
    `INSERT INTO authz.change (revision, position, deleted, object, relation, subject, condition)
     SELECT $5::bigint, given.position, given.deleted, object, relation, subject, condition::jsonb
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $6::boolean[])
            WITH ORDINALITY AS given (object, relation, subject, condition, deleted, position)`,
    [...columns(changes.map((change) => change.tuple)), revision, changes.map((change) => change.deleted)],
  );
}
