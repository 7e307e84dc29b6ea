import type { Migration } from "@appserver/kernel/ports";

export const sleepMigrations: readonly Migration[] = [
  {
    name: "sleep/0001-uses",
    sql: `
CREATE SCHEMA IF NOT EXISTS sleep;

-- When an app was last in use, as some replica noticed it. Only apps that may sleep have a row.
CREATE TABLE sleep.uses (
  app_id uuid PRIMARY KEY,
  used_at timestamptz NOT NULL
);
`,
  },
];
