import type { Migration } from "../platform-ports/database.ts";

export const outboxMigrations: readonly Migration[] = [
  {
    name: "platform/0002-outbox",
    // json, not jsonb: json keeps the event unchanged, and jsonb refuses \\u0000 in strings.
    sql: `
      create table platform.outbox (
        id         bigint generated always as identity primary key,
        subject    text not null,
        event      json not null,
        created_at timestamptz not null default now()
      ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
  },
];
