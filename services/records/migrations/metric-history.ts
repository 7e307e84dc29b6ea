import type { Migration } from "@appserver/kernel/ports";

export const metricHistoryMigrations: readonly Migration[] = [
  {
    name: "platform/0008-metric-history",
    // Unlogged: an hour of samples is not worth the write-ahead log. A crash of the database empties it.
    sql: `
      create unlogged table platform.metric_samples (
        at        timestamptz not null,
        process   text not null,
        app_name  text,
        route     text not null,
        name      text not null,
        value     float8 not null,
        durations integer[]
      );
      create index metric_samples_at on platform.metric_samples (at);
      create index metric_samples_app on platform.metric_samples (app_name, at)`,
  },
];
