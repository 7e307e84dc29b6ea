import type { Migration } from "../platform-ports/database.ts";

export const leaseMigrations: readonly Migration[] = [
  {
    name: "platform/0001-leases",
    sql: `
      create schema if not exists platform;
      create table platform.leases (
        name       text primary key,
        holder     text not null,
        fence      bigint not null,
        expires_at timestamptz not null
      )`,
  },
];
