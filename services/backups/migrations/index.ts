import type { Migration } from "@appserver/kernel/ports";

/** Tables of schema `backups`. No other service reads or writes them. */
export const backupsMigrations: readonly Migration[] = [
  {
    name: "backups/0001-runs-and-plan",
    sql: `
CREATE SCHEMA IF NOT EXISTS backups;

CREATE TABLE backups.runs (
  id uuid PRIMARY KEY,
  -- REQUESTED, RUNNING, COMPLETED, FAILED
  state text NOT NULL,
  -- Of the schedule. Other backups have none.
  due_at timestamptz,
  requested_at timestamptz NOT NULL,
  started_at timestamptz,
  finished_at timestamptz,
  location text,
  bytes bigint,
  error text,
  not_of_one_moment jsonb NOT NULL,
  -- When the file was last restored on trial.
  tested_at timestamptz
);
-- One at a time, and one that waits.
CREATE UNIQUE INDEX runs_unfinished ON backups.runs (state) WHERE state IN ('REQUESTED', 'RUNNING');

-- What the process that makes backups is configured to do, for the others: one row.
CREATE TABLE backups.plan (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  schedule text,
  target text,
  problem text
);
`,
  },
];
