import type { Migration } from "@appserver/kernel/ports";

/** Tables of schema `settings`. No other service reads or writes them. */
export const settingsMigrations: readonly Migration[] = [
  {
    name: "settings/0001-settings",
    sql: `
create schema if not exists settings;

-- One row per app whose settings were ever touched; its lock serializes writers. It outlives deletion, so that a version
-- number never means two states.
create table settings.apps (
  app_id     uuid primary key,
  version    integer not null,
  updated_at timestamptz,
  updated_by text
);

-- text, not jsonb: values come back exactly as they were given, and jsonb refuses \\u0000 inside strings.
create table settings.values (
  app_id     uuid not null references settings.apps (app_id) on delete cascade,
  key        text not null,
  -- JSON, or where sealed v1:<key id>:<iv>:<ciphertext and tag>
  value      text not null,
  sealed     boolean not null,
  updated_at timestamptz not null,
  primary key (app_id, key)
);
create index values_sealed on settings.values (app_id, key) where sealed;
`,
  },
];
