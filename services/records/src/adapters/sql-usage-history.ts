import type { Clock } from "@appserver/kernel";
import type { AppUsageSample, Database, UsageHistory } from "@appserver/kernel/ports";
import type { UsageStep } from "../ports.ts";

const keptMs = 3_600_000;

/** Stores what apps used as rows of `platform.usage_samples`. */
export class SqlUsageHistory implements UsageHistory {
  readonly #database: Pick<Database, "query">;
  readonly #clock: Clock;

  constructor(database: Pick<Database, "query">, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async append(samples: readonly AppUsageSample[]): Promise<void> {
    const now = this.#clock.now();
    await this.#database.query(
      `with expired as (delete from platform.usage_samples where at < $2)
       insert into platform.usage_samples (at, app_name, cpu, memory_bytes, database_bytes)
       select $1, "appName", cpu, "memoryBytes", "databaseBytes"
       from json_to_recordset($3) as given ("appName" text, cpu float8, "memoryBytes" float8, "databaseBytes" float8)`,
      [new Date(now), new Date(now - keptMs), JSON.stringify(samples)],
    );
  }

  /** Returns what an app used over time, in steps. */
  async overTime(appName: string, since: Date, stepMs: number): Promise<readonly UsageStep[]> {
    const { rows } = await this.#database.query<UsageStep>(
      `select date_bin($3 * interval '1 millisecond', at, 'epoch') as at,
         avg(cpu) as cpu, max(memory_bytes) as "memoryBytes", max(database_bytes) as "databaseBytes"
       from platform.usage_samples where app_name = $1 and at >= $2 group by 1 order by 1`,
      [appName, since, stepMs],
    );
    return rows;
  }
}
