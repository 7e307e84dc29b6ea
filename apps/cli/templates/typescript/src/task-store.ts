import type { Pool } from "pg";
import { maxTasks, type NewTask, type Task } from "./task.ts";

/** What the routes need of it. The test has another one, in memory. */
export interface TaskStore {
  /** The newest first. */
  list(): Promise<readonly Task[]>;
  find(id: string): Promise<Task | undefined>;
  add(task: NewTask, createdBy: string): Promise<Task>;
  /** Returns the changed task. Undefined if there is none. */
  setDone(id: string, done: boolean): Promise<Task | undefined>;
  /** Returns whether there was such a task. */
  remove(id: string): Promise<boolean>;
}

interface TaskRow {
  readonly id: string;
  readonly title: string;
  readonly details: string;
  readonly created_by: string;
  readonly created_at: Date;
  readonly done_at: Date | null;
}

const columns = "id, title, details, created_by, created_at, done_at";

/** Tasks in the database of the app. */
export class SqlTaskStore implements TaskStore {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  list(): Promise<readonly Task[]> {
    return this.#tasks(`select ${columns} from tasks order by created_at desc limit $1`, [maxTasks]);
  }

  async find(id: string): Promise<Task | undefined> {
    return (await this.#tasks(`select ${columns} from tasks where id = $1`, [id]))[0];
  }

  async add({ title, details }: NewTask, createdBy: string): Promise<Task> {
    const sql = `insert into tasks (title, details, created_by) values ($1, $2, $3) returning ${columns}`;
    const [task] = await this.#tasks(sql, [title, details, createdBy]);
    if (!task) throw new Error("the database returned no task");
    return task;
  }

  async setDone(id: string, done: boolean): Promise<Task | undefined> {
    const sql = `update tasks set done_at = case when $2 then coalesce(done_at, now()) end where id = $1 returning ${columns}`;
    return (await this.#tasks(sql, [id, done]))[0];
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#pool.query("delete from tasks where id = $1", [id])).rowCount === 1;
  }

  /** Removes what was done a while ago. Returns the number of tasks. */
  async removeDone(days: number): Promise<number> {
    const sql = "delete from tasks where done_at < now() - make_interval(days => $1)";
    return (await this.#pool.query(sql, [days])).rowCount ?? 0;
  }

  async #tasks(sql: string, values: unknown[]): Promise<readonly Task[]> {
    const { rows } = await this.#pool.query<TaskRow>(sql, values);
    return rows.map((row) => ({
      id: row.id,
      title: row.title,
      details: row.details,
      createdBy: row.created_by,
      createdAt: row.created_at.toISOString(),
      ...(row.done_at && { doneAt: row.done_at.toISOString() }),
    }));
  }
}
