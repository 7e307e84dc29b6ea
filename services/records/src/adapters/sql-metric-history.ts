import type { Clock } from "@appserver/kernel";
import type { Database, MetricHistory, MetricSample, MetricTotal, MetricWindow, ProcessValue } from "@appserver/kernel/ports";
import { durationSums } from "./duration-sums.ts";

const keptMs = 3_600_000;
/** A process without samples for this long has ended. */
const aliveMs = 60_000;

/** Stores samples as rows of `platform.metric_samples`. */
export class SqlMetricHistory implements MetricHistory {
  readonly #database: Pick<Database, "query">;
  readonly #clock: Clock;

  constructor(database: Pick<Database, "query">, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async append(process: string, samples: readonly MetricSample[]): Promise<void> {
    const now = this.#clock.now();
    const rows = samples.map(({ appName = null, ...sample }) => ({ ...sample, app_name: appName }));
    await this.#database.query(
      `with expired as (delete from platform.metric_samples where at < $3)
       insert into platform.metric_samples (at, process, app_name, route, name, value, durations)
       select $2, $1, app_name, route, name, value, durations
       from json_to_recordset($4) as given (app_name text, route text, name text, value float8, durations integer[])`,
      [process, new Date(now), new Date(now - keptMs), JSON.stringify(rows)],
    );
  }

  async totals({ since, appName }: MetricWindow): Promise<readonly MetricTotal[]> {
    const { rows } = await this.#database.query<TotalRow>(
      `select max(at) as at, app_name, route, name, ${sums} from platform.metric_samples
       where at >= $1 and app_name is not null and ($2::text is null or app_name = $2)
       group by app_name, route, name`,
      [since, appName ?? null],
    );
    return rows.map(toTotal);
  }

  async overTime({ since, appName }: MetricWindow, names: readonly string[], stepMs: number): Promise<readonly MetricTotal[]> {
    const { rows } = await this.#database.query<TotalRow>(
      `select to_timestamp(floor(extract(epoch from at) / $4::float8) * $4::float8) as at, null as app_name, '' as route, name,
         ${sums}
       from platform.metric_samples
       where at >= $1 and app_name is not null and ($2::text is null or app_name = $2) and name = any($3)
       group by 1, name order by 1, name`,
      [since, appName ?? null, names, stepMs / 1_000],
    );
    return rows.map(toTotal);
  }

  async processes(): Promise<readonly ProcessValue[]> {
    const { rows } = await this.#database.query<ProcessValue>(
      `select distinct on (process, name) process, name, route, value, at from platform.metric_samples
       where at >= $1 and app_name is null order by process, name, at desc`,
      [new Date(this.#clock.now() - aliveMs)],
    );
    return rows;
  }
}

const sums = `sum(value) as value, ${durationSums}::float8[] as durations`;

interface TotalRow {
  readonly at: Date;
  readonly app_name: string | null;
  readonly route: string;
  readonly name: string;
  readonly value: number;
  readonly durations: readonly number[];
}

function toTotal({ app_name, ...total }: TotalRow): MetricTotal {
  return { ...total, appName: app_name ?? undefined };
}
