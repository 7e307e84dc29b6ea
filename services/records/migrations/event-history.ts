import type { Migration } from "@appserver/kernel/ports";

export const eventHistoryMigrations: readonly Migration[] = [
  {
    name: "platform/0007-event-history-by-operation",
    // Positions follow the order of publication, which ids do not. json, not jsonb, which refuses \\u0000 in strings.
    sql: `
      create table platform.event_history (
        id           uuid primary key,
        position     bigint generated always as identity,
        type         text not null,
        severity     text not null,
        app_name     text,
        message      text not null,
        data         json not null,
        at           timestamptz not null,
        actor        text,
        trace_id     text,
        operation_id text,
        sequence     bigint not null
      );
      create unique index event_history_position on platform.event_history (position);
      create index event_history_app on platform.event_history (app_name, position);
      create index event_history_type on platform.event_history (type, position);
      create index event_history_trace on platform.event_history (trace_id, position) where trace_id is not null`,
  },
];
