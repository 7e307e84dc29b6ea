import type { Database } from "@appserver/kernel/ports";
import { type AppFigures, type CountsOfApp, type FigureStep, type MetricWindow, requestSamples } from "../ports.ts";
import { durationSums } from "./duration-sums.ts";

/** Stores figures as rows of `platform.app_figures`. */
export class SqlAppFigures implements AppFigures {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  async rollUp(since: Date): Promise<void> {
    // Samples of a step only become more, except for those that a crash of the database or their age removed.
    await this.#database.query(
      `insert into platform.app_figures as kept (app_name, at, requests, errors, refused, limited, durations)
       select app_name, ${stepOf} as step, ${countOf("requests")}, ${countOf("errors")}, ${countOf("refused")},
         ${countOf("limited")}, ${durationSums}::integer[]
       from platform.metric_samples where at >= $1 and app_name is not null and name = any($2) group by app_name, step
       on conflict (app_name, at) do update set requests = excluded.requests, errors = excluded.errors,
         refused = excluded.refused, limited = excluded.limited, durations = excluded.durations
       where kept.requests < excluded.requests`,
      [since, Object.values(requestSamples)],
    );
    await this.#database.query(
      `insert into platform.app_figures as kept (app_name, at, cpu, memory_bytes, database_bytes)
       select app_name, ${stepOf} as step, avg(cpu), max(memory_bytes), max(database_bytes)
       from platform.usage_samples where at >= $1 group by app_name, step
       on conflict (app_name, at) do update set cpu = excluded.cpu, memory_bytes = excluded.memory_bytes,
         database_bytes = excluded.database_bytes
       where (kept.cpu, kept.memory_bytes, kept.database_bytes)
         is distinct from (excluded.cpu, excluded.memory_bytes, excluded.database_bytes)`,
      [since],
    );
  }

  async removeBefore(time: Date): Promise<void> {
    await this.#database.query("delete from platform.app_figures where at < $1", [time]);
  }

  async remove(appName: string): Promise<void> {
    for (const table of ["metric_samples", "usage_samples", "app_figures"])
      await this.#database.query(`delete from platform.${table} where app_name = $1`, [appName]);
  }

  async byApp({ since, appName }: MetricWindow): Promise<readonly CountsOfApp[]> {
    const { rows } = await this.#database.query<CountsOfApp>(
      `select app_name as "appName", ${countSums} from platform.app_figures
       where at >= $1 and ($2::text is null or app_name = $2) and requests > 0 group by app_name`,
      [since, appName ?? null],
    );
    return rows;
  }

  async overTime({ since, appName }: MetricWindow): Promise<readonly FigureStep[]> {
    const { rows } = await this.#database.query<FigureStep>(
      `select at, ${countSums}, sum(cpu) as cpu, sum(memory_bytes) as "memoryBytes", sum(database_bytes) as "databaseBytes"
       from platform.app_figures where at >= $1 and ($2::text is null or app_name = $2) group by at order by at`,
      [since, appName ?? null],
    );
    return rows;
  }
}

const stepOf = "date_bin(interval '5 minutes', at, 'epoch')";

const countSums = `sum(requests) as requests, sum(errors) as errors, sum(refused) as refused, sum(limited) as limited,
  ${durationSums}::float8[] as durations`;

function countOf(name: keyof typeof requestSamples): string {
  return `coalesce(sum(value) filter (where name = '${requestSamples[name]}'), 0)`;
}
