import { advisoryLocks, column, columns, deleteInSteps } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import type { AppMessage, AppMessages } from "../ports.ts";

const messages = columns<AppMessage>({
  id: column,
  userId: column,
  appName: column,
  title: column,
  text: column,
  path: column,
  sentAt: column,
  isRead: { expression: "read_at is not null" },
});

const keptMs = 90 * 86_400_000;

/** Rows of `access.messages`. */
export const sqlAppMessages: AppMessages = {
  async add(tx, message, { all, unread }) {
    await tx.query("select pg_advisory_xact_lock($1, hashtext($2))", [advisoryLocks.messagesOfPerson, message.userId]);
    await tx.query(
      "insert into access.messages (id, user_id, app_name, title, text, path, sent_at) values ($1, $2, $3, $4, $5, $6, $7)",
      [message.id, message.userId, message.appName, message.title, message.text ?? null, message.path, message.sentAt],
    );
    await tx.query(
      `delete from access.messages using (
         select id, read_at, row_number() over (order by id desc) as place,
           row_number() over (partition by read_at is null order by id desc) as place_among_like
         from access.messages where user_id = $1
       ) as ordered
       where messages.id = ordered.id
         and (ordered.place > $2 or (ordered.read_at is null and ordered.place_among_like > $3))`,
      [message.userId, all, unread],
    );
  },

  async ofPerson(executor, userId, { limit, below } = {}) {
    const { rows } = await executor.query(
      `select ${messages.selected} from access.messages where user_id = $1 and ($2::uuid is null or id < $2::uuid)
       order by id desc limit $3`,
      [userId, below ?? null, limit ?? null],
    );
    return rows.map(messages.record);
  },

  async unread(executor, userId) {
    const { rows } = await executor.query<{ app_name: string; count: number }>(
      `select app_name, count(*)::int as count from access.messages where user_id = $1 and read_at is null
       group by app_name order by app_name`,
      [userId],
    );
    return rows.map(({ app_name: appName, count }) => ({ appName, count }));
  },

  async read(executor, userId, { ids, at }) {
    const { count } = await executor.query(
      `update access.messages set read_at = $3
       where user_id = $1 and read_at is null and ($2::text[] is null or id::text = any ($2::text[]))`,
      [userId, ids ?? null, at],
    );
    return count;
  },

  async forgetPerson(tx, userId) {
    await tx.query("delete from access.messages where user_id = $1", [userId]);
  },

  async forgetApp(executor, appName) {
    await executor.query("delete from access.messages where app_name = $1", [appName]);
  },
};

/** Deletes messages that were sent 90 days ago. Returns how many. */
export function pruneAppMessages(database: Database, signal?: AbortSignal): Promise<number> {
  const condition = "old.sent_at < now() - $1::interval";
  return deleteInSteps(database, { table: "access.messages", key: "id", condition, olderThanMs: keptMs }, signal);
}
