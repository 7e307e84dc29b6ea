import type { SqlExecutor } from "@appserver/kernel/ports";
import { groupCondition } from "./conditions.ts";
import type { Found, Page } from "./page.ts";
import { nameKey } from "./user-profile.ts";

/** What a client says of a group, without its members. */
export interface GroupProfile {
  readonly displayName: string;
  readonly externalId: string | undefined;
}

export interface StoredGroup extends GroupProfile {
  readonly id: string;
  readonly size: number;
  readonly version: number;
  readonly createdAt: Date;
  readonly modifiedAt: Date;
}

export interface StoredMember {
  readonly groupId: string;
  readonly id: string;
  readonly name: string;
}

type GroupRow = Omit<StoredGroup, "externalId"> & { readonly externalId: string | null };

const columns = `
  g.id, g.display_name as "displayName", g.external_id as "externalId", g.version, g.created_at as "createdAt", g.modified_at as "modifiedAt",
  (select count(*) from accounts.scim_members m where m.group_id = g.id) as size`;

/** The rows of groups and of the people in them. */
export const groupTable = {
  async find(database: SqlExecutor, id: string): Promise<StoredGroup | undefined> {
    const { rows } = await database.query<GroupRow>(`select ${columns} from accounts.scim_groups g where g.id = $1`, [id]);
    return rows[0] && storedGroup(rows[0]);
  },

  /** Keeps the group as it is until the transaction ends. */
  async hold(tx: SqlExecutor, id: string): Promise<StoredGroup | undefined> {
    await tx.query("select 1 from accounts.scim_groups where id = $1 for update", [id]);
    return await this.find(tx, id);
  },

  async list(database: SqlExecutor, { conditions, offset, limit }: Page): Promise<Found<StoredGroup>> {
    const { sql, parameters } = groupCondition(conditions);
    const counted = await database.query<{ total: number }>(
      `select count(*) as total from accounts.scim_groups g where ${sql}`,
      parameters,
    );
    const at = parameters.length;
    const { rows } = await database.query<GroupRow>(
      `select ${columns} from accounts.scim_groups g where ${sql} order by g.id offset $${at + 1} limit $${at + 2}`,
      [...parameters, offset, limit],
    );
    return { total: counted.rows[0]?.total ?? 0, resources: rows.map(storedGroup) };
  },

  async membersOf(database: SqlExecutor, groupIds: readonly string[]): Promise<readonly StoredMember[]> {
    const { rows } = await database.query<StoredMember>(
      `select m.group_id as "groupId", m.person_id as id, p.name from accounts.scim_members m
       join accounts.people p on p.id = m.person_id where m.group_id = any($1) order by m.person_id`,
      [groupIds],
    );
    return rows;
  },

  /** Rejects with a unique violation if another group has the name. */
  async insert(tx: SqlExecutor, id: string, { displayName, externalId }: GroupProfile): Promise<void> {
    await tx.query("insert into accounts.scim_groups (id, display_name, display_key, external_id) values ($1, $2, $3, $4)", [
      id,
      displayName,
      nameKey(displayName),
      externalId ?? null,
    ]);
  },

  /** Notes a change of the group or of its members. */
  async update(tx: SqlExecutor, id: string, { displayName, externalId }: GroupProfile): Promise<void> {
    await tx.query(
      `update accounts.scim_groups set display_name = $2, display_key = $3, external_id = $4, version = version + 1, modified_at = now()
       where id = $1`,
      [id, displayName, nameKey(displayName), externalId ?? null],
    );
  },

  async delete(tx: SqlExecutor, id: string): Promise<void> {
    await tx.query("delete from accounts.scim_groups where id = $1", [id]);
  },

  /** Returns those of the people that SCIM made. They stay until the transaction ends. */
  async knownOf(tx: SqlExecutor, personIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await tx.query<{ id: string }>(
      "select person_id as id from accounts.scim_users where person_id = any($1) order by person_id for key share",
      [personIds],
    );
    return new Set(rows.map(({ id }) => id));
  },

  /** Returns those who were not in the group. */
  async addMembers(tx: SqlExecutor, id: string, personIds: readonly string[]): Promise<readonly string[]> {
    const { rows } = await tx.query<{ personId: string }>(
      `insert into accounts.scim_members (group_id, person_id) select $1, unnest($2::uuid[]) on conflict do nothing
       returning person_id as "personId"`,
      [id, personIds],
    );
    return rows.map(({ personId }) => personId);
  },

  /** Removes these, or all but these. Returns those who were in the group. */
  async removeMembers(
    tx: SqlExecutor,
    id: string,
    which: { readonly these: readonly string[] } | { readonly allBut: readonly string[] },
  ): Promise<readonly string[]> {
    const [condition, ids] = "these" in which ? ["person_id = any($2)", which.these] : ["person_id <> all($2)", which.allBut];
    const { rows } = await tx.query<{ personId: string }>(
      `delete from accounts.scim_members where group_id = $1 and ${condition} returning person_id as "personId"`,
      [id, ids],
    );
    return rows.map(({ personId }) => personId);
  },
};

function storedGroup(row: GroupRow): StoredGroup {
  return { ...row, externalId: row.externalId ?? undefined };
}
