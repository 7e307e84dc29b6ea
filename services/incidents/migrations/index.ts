import type { Migration } from "@appserver/kernel/ports";

/** Tables of schema `incidents`. Only this service uses them. */
export const incidentsMigrations: readonly Migration[] = [
  {
    name: "incidents/0001-incidents",
    sql: `
CREATE SCHEMA IF NOT EXISTS incidents;

CREATE TABLE incidents.incidents (
  id uuid PRIMARY KEY,
  kind text NOT NULL,
  subject text NOT NULL,
  app_name text,
  message text NOT NULL,
  noticed_at timestamptz NOT NULL,
  -- Null until it has lasted long enough to be one.
  opened_at timestamptz,
  closed_at timestamptz
);
-- One of a kind and a subject at a time.
CREATE UNIQUE INDEX incidents_current ON incidents.incidents (kind, subject) WHERE closed_at IS NULL;
CREATE INDEX incidents_order ON incidents.incidents ((closed_at IS NULL), id);

-- The last event of the history that was looked at. One row.
CREATE TABLE incidents.position (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  last_event_id uuid NOT NULL
);
`,
  },
];
