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
];
