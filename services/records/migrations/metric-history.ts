import type { Migration } from "@appserver/kernel/ports";

export const metricHistoryMigrations: readonly Migration[] = [
  {
    name: "platform/0008-figures-of-apps",
    // Samples are unlogged: an hour of them is not worth the write-ahead log. A crash of the database empties them. The figures of a day
    // have one row for each app and 5 minutes.
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
      create index metric_samples_app on platform.metric_samples (app_name, at);
      create unlogged table platform.usage_samples (
        at             timestamptz not null,
        app_name       text not null,
        cpu            float8,
        memory_bytes   float8,
        database_bytes float8
      );
      create index usage_samples_at on platform.usage_samples (at);
      create index usage_samples_app on platform.usage_samples (app_name, at);
      create table platform.app_figures (
        app_name       text not null,
        at             timestamptz not null,
        requests       float8 not null default 0,
        errors         float8 not null default 0,
        refused        float8 not null default 0,
        limited        float8 not null default 0,
        durations      integer[],
        cpu            float8,
        memory_bytes   float8,
        database_bytes float8,
        primary key (app_name, at)
      );
      create index app_figures_at on platform.app_figures (at)`,
  },
];
