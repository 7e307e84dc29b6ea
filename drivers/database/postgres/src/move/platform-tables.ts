import type { SqlExecutor } from "@appserver/kernel/ports";

/** Names are quoted where SQL needs it. */
export interface PlatformTable {
  readonly name: string;
  readonly schema: string;
  /** With their types, in the order of the table. */
  readonly columns: readonly PlatformColumn[];
}

export interface PlatformColumn {
  readonly name: string;
  readonly type: string;
  readonly isGenerated: boolean;
}

/** A constraint that is removed during a copy, so that the order of tables does not matter. */
export interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

const isOurs = "n.nspname !~ '^pg_' and n.nspname <> 'information_schema'";

/** Those of extensions and temporary ones are left out. */
async function readTables(sql: SqlExecutor): Promise<readonly PlatformTable[]> {
  const { rows } = await sql.query<PlatformTable>(
    `select c.oid::regclass::text as name, quote_ident(n.nspname) as schema,
            coalesce(json_agg(json_build_object('name', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod),
                                                'isGenerated', a.attgenerated <> '') order by a.attnum)
                     filter (where a.attnum is not null), '[]') as columns
       from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind in ('r', 'p') and ${isOurs}
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      group by c.oid, n.nspname
      order by 1`,
  );
  return rows;
}

/** What a database has, by name. */
export interface DatabaseContent {
  readonly schemas: ReadonlySet<string>;
  readonly tables: ReadonlyMap<string, PlatformTable>;
  readonly sequences: ReadonlySet<string>;
}

/** Returns what a database has without what it had before. */
export async function readContent(sql: SqlExecutor, before?: DatabaseContent): Promise<DatabaseContent> {
  const schemas = await readNames(sql, `select quote_ident(n.nspname) as name from pg_namespace n where ${isOurs}`);
  const sequences = await readNames(
    sql,
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'S' and ${isOurs}`,
  );
  const tables = await readTables(sql);
  return {
    schemas: new Set(schemas.filter((name) => !before?.schemas.has(name))),
    tables: new Map(tables.flatMap((table) => (before?.tables.has(table.name) ? [] : [[table.name, table]]))),
    sequences: new Set(sequences.filter((name) => !before?.sequences.has(name))),
  };
}

/** Returns the foreign keys of these tables. */
export async function readForeignKeys(sql: SqlExecutor, tables: readonly PlatformTable[]): Promise<readonly ForeignKey[]> {
  const { rows } = await sql.query<ForeignKey>(
    `select conrelid::regclass::text as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
       from pg_constraint
      where contype = 'f' and conparentid = 0 and conrelid::regclass::text = any ($1) order by 1, 2`,
    [tables.map(({ name }) => name)],
  );
  return rows;
}

async function readNames(sql: SqlExecutor, text: string): Promise<readonly string[]> {
  const { rows } = await sql.query<{ name: string }>(`${text} order by 1`);
  return rows.map(({ name }) => name);
}
