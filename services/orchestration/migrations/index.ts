import type { Migration } from "@appserver/kernel/ports";

/** Tables of schema `orchestration`. No other service reads or writes them. */
export const orchestrationMigrations: readonly Migration[] = [
  {
    name: "orchestration/0001-schema-with-snapshots",
    sql: `
CREATE SCHEMA IF NOT EXISTS orchestration;

CREATE TABLE orchestration.deployments (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL,
  app_name text NOT NULL,
  app_version text NOT NULL,
  generation integer NOT NULL,
  state text NOT NULL,
  health_status text NOT NULL,
  final boolean NOT NULL,
  driver text NOT NULL,
  image text NOT NULL,
  image_digest text,
  container_name text NOT NULL,
  container_id text,
  endpoint text,
  last_error jsonb,
  -- The fault of the infrastructure that it waits for.
  fault jsonb,
  restart_count integer NOT NULL,
  -- Epoch milliseconds of the recent restarts.
  restarts jsonb NOT NULL,
  not_before timestamptz,
  healthy_since timestamptz,
  restart_requested_at timestamptz,
  progress real,
  progress_status text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- current: the one that serves, or served last. next: started to replace it. retiring: replaced, and not stopped yet. Null:
  -- history.
  role text CHECK (role IN ('current', 'next', 'retiring')),
  manifest_digest text NOT NULL,
  operation_id uuid,
  paused_at timestamptz,
  -- Keyed digests: what the container was created with, and what it should have if that is another one.
  configuration text,
  wanted_configuration text,
  -- The container as the engine reported it after its creation.
  fingerprint text,
  -- How the app last ended by itself, with its last lines; and what its container was created with.
  last_crash jsonb,
  limits jsonb,
  health_plan jsonb
);
CREATE INDEX deployments_app_id ON orchestration.deployments (app_id, id);
CREATE UNIQUE INDEX deployments_app_name_role ON orchestration.deployments (app_name, role) WHERE role IS NOT NULL;
CREATE INDEX deployments_generation ON orchestration.deployments (app_id, generation, created_at DESC);
CREATE INDEX deployments_out_of_date ON orchestration.deployments (app_name)
  WHERE role = 'current' AND wanted_configuration IS NOT NULL;
CREATE INDEX deployments_fault ON orchestration.deployments (app_id) WHERE role IS NOT NULL AND fault IS NOT NULL;

-- The newest fence that wrote; its row lock also puts the writes about one app, and so their events, in one order.
CREATE TABLE orchestration.fences (
  app_name text PRIMARY KEY,
  fence bigint NOT NULL
);

-- Apps whose data is to be deleted when nothing of them runs any more, unless a later generation has run.
CREATE TABLE orchestration.data_removals (
  app_id uuid PRIMARY KEY,
  app_name text NOT NULL,
  generation integer NOT NULL,
  requested_at timestamptz NOT NULL
);

-- The storage that exists, as the containers that had it last declared it. used_bytes: null until it is measured.
CREATE TABLE orchestration.storage (
  app_id uuid NOT NULL,
  name text NOT NULL,
  mount_path text NOT NULL,
  size text NOT NULL,
  created_at timestamptz NOT NULL,
  used_bytes bigint,
  measured_at timestamptz,
  PRIMARY KEY (app_id, name)
);

-- Storage to be deleted alone, unless another deployment than this one began since.
CREATE TABLE orchestration.storage_removals (
  app_id uuid NOT NULL,
  app_name text NOT NULL,
  name text NOT NULL,
  deployment_id uuid,
  requested_at timestamptz NOT NULL,
  PRIMARY KEY (app_id, name)
);

-- Copies of the data of apps, and requests for them. The copies are named by the id. removal_requested_at: they are to be deleted,
-- then the row.
CREATE TABLE orchestration.snapshots (
  id uuid PRIMARY KEY,
  app_id uuid NOT NULL,
  app_name text NOT NULL,
  app_version text NOT NULL,
  manifest_digest text NOT NULL,
  reason text NOT NULL CHECK (reason IN ('manual', 'upgrade', 'backup', 'restore')),
  label text,
  actor text,
  operation_id uuid,
  state text NOT NULL CHECK (state IN ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED')),
  error text,
  paused_ms integer,
  database_bytes bigint,
  storage jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  finished_at timestamptz,
  expires_at timestamptz,
  removal_requested_at timestamptz
);
CREATE INDEX snapshots_app_id ON orchestration.snapshots (app_id, id);
CREATE INDEX snapshots_work ON orchestration.snapshots (app_name)
  WHERE state IN ('PENDING', 'RUNNING') OR removal_requested_at IS NOT NULL OR operation_id IS NOT NULL;
CREATE UNIQUE INDEX snapshots_unfinished ON orchestration.snapshots (app_id, reason) WHERE state IN ('PENDING', 'RUNNING');

-- Requests to replace the data of an app by that of a snapshot. undo_id: the snapshot of what is replaced.
CREATE TABLE orchestration.snapshot_restores (
  id uuid PRIMARY KEY,
  snapshot_id uuid NOT NULL,
  app_id uuid NOT NULL,
  app_name text NOT NULL,
  undo_id uuid NOT NULL,
  actor text,
  operation_id uuid,
  state text NOT NULL CHECK (state IN ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED')),
  error text,
  created_at timestamptz NOT NULL,
  finished_at timestamptz
);
CREATE INDEX snapshot_restores_app_name ON orchestration.snapshot_restores (app_name);
CREATE UNIQUE INDEX snapshot_restores_unfinished ON orchestration.snapshot_restores (app_id) WHERE state IN ('PENDING', 'RUNNING');

-- The authority that signs the certificates of deployments. One row, with the private key sealed.
CREATE TABLE orchestration.certificate_authority (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  certificate text NOT NULL,
  sealed_key text NOT NULL,
  created_at timestamptz NOT NULL
);

-- One for each generation of an app that runs, or is about to. Private keys exist only in the containers. The version grows with
-- each write, so that servers find changes.
CREATE SEQUENCE orchestration.workload_identity_versions;
CREATE TABLE orchestration.workload_identities (
  app_id uuid NOT NULL,
  generation integer NOT NULL,
  app_name text NOT NULL,
  public_key bytea NOT NULL,
  sealed_forward_secret text NOT NULL,
  certificate_ends_at timestamptz NOT NULL,
  version bigint NOT NULL DEFAULT nextval('orchestration.workload_identity_versions'),
  PRIMARY KEY (app_id, generation)
);

-- Sizes of the databases of apps at the last measurement. full_since: when the database was first found over its limit.
CREATE TABLE orchestration.databases (
  app_id uuid PRIMARY KEY,
  app_name text NOT NULL,
  used_bytes bigint NOT NULL,
  limit_bytes bigint NOT NULL,
  full_since timestamptz,
  measured_at timestamptz NOT NULL
);
`,
  },
  {
    name: "orchestration/0002-sleep",
    sql: `
-- When the app was last asked to fall asleep, or to wake up. Null once that is done, or no longer possible.
ALTER TABLE orchestration.deployments ADD COLUMN sleep_requested_at timestamptz, ADD COLUMN wake_requested_at timestamptz;
`,
  },
  {
    name: "orchestration/0003-instances",
    sql: `
-- How often an engine that restarts instances itself had restarted each, by its id.
ALTER TABLE orchestration.deployments ADD COLUMN instance_restarts jsonb;
`,
  },
  {
    name: "orchestration/0004-instances-of-apps",
    sql: `
-- The instances of the container while the app serves, how many it should have, and since when fewer are ready.
ALTER TABLE orchestration.deployments ADD COLUMN wanted_instances integer, ADD COLUMN instances jsonb, ADD COLUMN degraded_since timestamptz;
`,
  },
];
