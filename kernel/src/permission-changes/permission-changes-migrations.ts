import type { Migration } from "../platform-ports/database.ts";

export const permissionChangesMigrations: readonly Migration[] = [
  {
    name: "platform/0004-permission-changes",
    sql: `
      create sequence platform.permission_change;
      create table platform.permission_changes (
        subject    text primary key,
        number     bigint not null,
        changed_at timestamptz not null
      );
      create index permission_changes_recent on platform.permission_changes (changed_at)`,
  },
];
