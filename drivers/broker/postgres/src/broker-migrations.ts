import type { Migration } from "@appserver/kernel/ports";

export const brokerMigrations: readonly Migration[] = [
  {
    name: "broker/0001-queues",
    // Byte order for columns that are only compared: the same on every server, and cheaper. Events are json, not jsonb: json
    // keeps them unchanged, and jsonb refuses \\u0000 inside strings.
    sql: `
      create schema if not exists broker;
      create table broker.queues (
        name       text collate "C" primary key,
        event_type text collate "C" not null,
        created_at timestamptz not null default now()
      );
      create index on broker.queues (event_type);

      create table broker.messages (
        id         bigint generated always as identity primary key,
        queue      text collate "C" not null references broker.queues,
        subject    text collate "C" not null,
        event      json not null,
        attempt    int not null default 0,
        visible_at timestamptz not null default '-infinity',
        claim      uuid
      ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
      create index on broker.messages (queue, subject, id);

      create table broker.dead_letters (
        id       bigint generated always as identity primary key,
        queue    text collate "C" not null,
        event    json not null,
        attempts int not null,
        error    text not null,
        at       timestamptz not null default now()
      );
      create index on broker.dead_letters (queue, id);

      create table broker.recent_events (
        id           bigint generated always as identity primary key,
        type         text not null,
        event        json not null,
        published_at timestamptz not null default now()
      ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)`,
  },
];
