import type { Migration } from "../platform-ports/database.ts";

export const serverMigrations: readonly Migration[] = [
  {
    name: "platform/0011-servers",
    sql: `
      -- The running processes of \`appserver serve\`.
      create table platform.servers (
        id                   uuid primary key,
        name                 text not null,
        cache_driver         text not null,
        -- Whether it may run next to others: it shares limits and used signatures, or its operator accepts that it does not.
        tolerates_others     boolean not null,
        authorization_driver text not null,
        seen_at              timestamptz not null
      );

      -- One row: which driver has the permissions. Null until \`appserver authz bootstrap\`.
      create table platform.authorization_home (
        single       boolean primary key default true check (single),
        driver       text,
        -- While permissions are copied to another driver: until when, unless the copying process extends it.
        moving_until timestamptz
      );
      insert into platform.authorization_home default values`,
  },
  {
    name: "platform/0012-database-home",
    sql: `
      -- One row: whether the platform runs on this database.
      create table platform.database_home (
        single  boolean primary key default true check (single),
        -- arriving: a copy that no server may use yet. left: the platform was moved to the peer.
        state   text not null default 'home' check (state in ('home', 'arriving', 'left')),
        -- The last move from or to this database, and its other side: host, port and database.
        move    uuid,
        peer    text,
        -- Of the platform's tables, known from the first move on.
        schemas text[]
      );
      insert into platform.database_home default values;

      -- Of triggers on every table of a database that was left. The SQLSTATE is that of a database that is read-only.
      create function platform.refuse_write() returns trigger language plpgsql as $$
        begin
          raise exception 'the data was moved to %', (select peer from platform.database_home) using errcode = '25006';
        end
      $$`,
  },
];
