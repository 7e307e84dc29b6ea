import type { Migration } from "@appserver/kernel/ports";

/** Tables of schema `activity`, which only this service uses. */
export const activityMigrations: readonly Migration[] = [
  {
    name: "activity/0001-runs-and-schedules",
    sql: `
CREATE SCHEMA IF NOT EXISTS activity;

-- json, not jsonb: values leave as they came, and jsonb refuses \\u0000 inside strings.
CREATE TABLE activity.runs (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL,
  app_name text NOT NULL,
  app_version text NOT NULL,
  activity text NOT NULL,
  status text NOT NULL,
  attempt integer NOT NULL,
  max_retries integer NOT NULL,
  timeout_ms integer NOT NULL,
  singleton_key text,
  idempotency_key text,
  triggered_by text NOT NULL,
  progress double precision,
  stage text,
  input json,
  output json,
  error json,
  -- Those that have ended, in their order.
  attempts json[] NOT NULL DEFAULT '{}',
  cancel_requested boolean NOT NULL DEFAULT false,
  scheduled_for timestamptz NOT NULL,
  queued_at timestamptz NOT NULL,
  started_at timestamptz,
  finished_at timestamptz,
  -- Of the assignment under way, by the clock of the database: the worker must be heard of, and be done, until then.
  lease_until timestamptz,
  deadline_at timestamptz,
  cancel_until timestamptz,
  -- No foreign key: the run that is repeated may be deleted earlier.
  retry_of uuid,
  -- Of the trigger (W3C Trace Context).
  traceparent text
);
CREATE UNIQUE INDEX runs_idempotency_key ON activity.runs (app_name, activity, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX runs_app ON activity.runs (app_name, id DESC);
CREATE INDEX runs_app_status ON activity.runs (app_name, status, id DESC);
CREATE INDEX runs_status ON activity.runs (status, id DESC);
CREATE INDEX runs_running ON activity.runs (app_name, activity) WHERE status = 'RUNNING';
CREATE INDEX runs_waiting ON activity.runs (scheduled_for) WHERE status = 'QUEUED';
CREATE INDEX runs_due ON activity.runs (app_name, activity, scheduled_for, id) WHERE status = 'QUEUED';
CREATE INDEX runs_trace ON activity.runs (split_part(traceparent, '-', 2)) WHERE traceparent IS NOT NULL;
CREATE INDEX runs_finished ON activity.runs (finished_at) WHERE finished_at IS NOT NULL;

-- What apps declared over gRPC; what manifests declare is read from the manifests.
CREATE TABLE activity.definitions (
  app_name text NOT NULL,
  name text NOT NULL,
  definition jsonb NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (app_name, name)
);

CREATE TABLE activity.schedules (
  id uuid PRIMARY KEY,
  app_name text NOT NULL,
  activity text NOT NULL,
  key text NOT NULL,
  cron text,
  interval_seconds integer,
  timezone text NOT NULL,
  input json,
  enabled boolean NOT NULL,
  -- By the manifest: comes and goes with it.
  declared boolean NOT NULL,
  -- After a failure, when it is tried again.
  next_run_at timestamptz NOT NULL,
  -- In a row.
  failures integer NOT NULL DEFAULT 0,
  last_error text,
  updated_at timestamptz NOT NULL,
  -- By a user. enabled is what the app wants.
  paused boolean NOT NULL DEFAULT false,
  CONSTRAINT schedules_key UNIQUE (app_name, activity, key)
);
CREATE INDEX schedules_due ON activity.schedules (next_run_at) WHERE enabled AND NOT paused;
`,
  },
];
