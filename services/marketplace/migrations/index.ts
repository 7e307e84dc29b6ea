import type { Migration } from "@appserver/kernel/ports";

/** Tables of schema `marketplace`. No other service reads or writes them. */
export const marketplaceMigrations: readonly Migration[] = [
  {
    name: "marketplace/0001-apps",
    sql: `
CREATE SCHEMA IF NOT EXISTS marketplace;

CREATE TABLE marketplace.apps (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  display_name text NOT NULL,
  version text NOT NULL,
  available_version text,
  state text NOT NULL,
  enabled boolean NOT NULL,
  health text NOT NULL,
  key_fingerprint text NOT NULL,
  certificate_fingerprint text NOT NULL,
  manifest_digest text NOT NULL,
  route_base text,
  generation integer NOT NULL,
  endpoint text,
  last_error jsonb,
  conditions jsonb NOT NULL,
  registered_at timestamptz NOT NULL,
  installed_at timestamptz,
  updated_at timestamptz NOT NULL,
  row_version integer NOT NULL,
  CONSTRAINT apps_name_key UNIQUE (name),
  CONSTRAINT apps_key_fingerprint_key UNIQUE (key_fingerprint),
  CONSTRAINT apps_route_base_key UNIQUE (route_base)
);
CREATE INDEX apps_state ON marketplace.apps (state);

-- Protobuf, assets without contents.
CREATE TABLE marketplace.manifests (
  app_id uuid NOT NULL REFERENCES marketplace.apps (id) ON DELETE CASCADE,
  version text NOT NULL,
  manifest bytea NOT NULL,
  registered_at timestamptz NOT NULL,
  PRIMARY KEY (app_id, version)
);

CREATE TABLE marketplace.assets (
  app_id uuid NOT NULL,
  version text NOT NULL,
  name text NOT NULL,
  mime_type text NOT NULL,
  size integer NOT NULL,
  sha256 text NOT NULL,
  signature_algorithm text NOT NULL,
  contents bytea NOT NULL,
  PRIMARY KEY (app_id, version, name),
  FOREIGN KEY (app_id, version) REFERENCES marketplace.manifests (app_id, version) ON DELETE CASCADE
);
-- Compressed already, most of them: do not spend time on trying again.
ALTER TABLE marketplace.assets ALTER COLUMN contents SET STORAGE EXTERNAL;

CREATE TABLE marketplace.transitions (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app_id uuid NOT NULL REFERENCES marketplace.apps (id) ON DELETE CASCADE,
  from_state text,
  to_state text NOT NULL,
  reason text NOT NULL,
  actor text,
  at timestamptz NOT NULL
);
CREATE INDEX transitions_app ON marketplace.transitions (app_id, id DESC);

-- The latest operation of each app.
CREATE TABLE marketplace.operations (
  app_id uuid PRIMARY KEY REFERENCES marketplace.apps (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  kind text NOT NULL,
  stage text NOT NULL,
  progress double precision NOT NULL,
  done boolean NOT NULL,
  error jsonb,
  started_at timestamptz NOT NULL,
  finished_at timestamptz
);

CREATE TABLE marketplace.approvals (
  app_id uuid NOT NULL REFERENCES marketplace.apps (id) ON DELETE CASCADE,
  scope text NOT NULL,
  approved_by text NOT NULL,
  approved_at timestamptz NOT NULL,
  PRIMARY KEY (app_id, scope)
);
`,
  },
  {
    name: "marketplace/0002-pinned-certificates",
    sql: `
-- The certificate that holds for each app, of whichever version it came with. Apps registered before this table have none
-- until they register again: theirs is in the manifest whose certificate has the app's fingerprint.
CREATE TABLE marketplace.pinned_certificates (
  app_id uuid PRIMARY KEY REFERENCES marketplace.apps (id) ON DELETE CASCADE,
  certificate bytea NOT NULL
);
`,
  },
  {
    name: "marketplace/0003-approvals-and-grants",
    sql: `
-- An approval holds for one entry of required_permissions. Owner: the app whose scope it is, empty for the platform's.
-- marketplace.approvals holds what earlier releases stored; the server moves it here when it starts.
CREATE TABLE marketplace.permission_approvals (
  app_id uuid NOT NULL REFERENCES marketplace.apps (id) ON DELETE CASCADE,
  owner text NOT NULL,
  scope text NOT NULL,
  request_digest text NOT NULL,
  approved_by text NOT NULL,
  approved_at timestamptz NOT NULL,
  PRIMARY KEY (app_id, owner, scope, request_digest)
);

-- What was granted, so that all of it can be taken back, whatever manifest the app has by then.
CREATE TABLE marketplace.grants (
  app_id uuid PRIMARY KEY REFERENCES marketplace.apps (id) ON DELETE CASCADE,
  own text[] NOT NULL,
  required jsonb NOT NULL,
  in_force boolean NOT NULL
);
`,
  },
  {
    name: "marketplace/0004-releases",
    sql: `
-- A release is one revision of one version. Revisions above 1 exist only where changed content is accepted under the same
-- version. Rows of earlier releases of the platform get their digest when the server starts.
ALTER TABLE marketplace.assets DROP CONSTRAINT assets_app_id_version_fkey;
ALTER TABLE marketplace.assets DROP CONSTRAINT assets_pkey;
ALTER TABLE marketplace.manifests DROP CONSTRAINT manifests_pkey;
ALTER TABLE marketplace.manifests
  ADD COLUMN revision integer NOT NULL DEFAULT 1,
  ADD COLUMN digest text,
  ADD COLUMN registered_by text,
  -- The digest of the container image that the release runs.
  ADD COLUMN image_digest text,
  -- When the release last began to serve.
  ADD COLUMN served_at timestamptz,
  ADD PRIMARY KEY (app_id, version, revision),
  ADD CONSTRAINT manifests_digest_key UNIQUE (app_id, digest);
ALTER TABLE marketplace.assets
  ADD COLUMN revision integer NOT NULL DEFAULT 1,
  ADD PRIMARY KEY (app_id, version, revision, name),
  ADD FOREIGN KEY (app_id, version, revision) REFERENCES marketplace.manifests (app_id, version, revision) ON DELETE CASCADE;
UPDATE marketplace.manifests SET digest = apps.manifest_digest,
  served_at = CASE WHEN apps.installed_at IS NOT NULL THEN apps.installed_at END
  FROM marketplace.apps WHERE apps.id = manifests.app_id AND apps.version = manifests.version;

ALTER TABLE marketplace.apps
  ADD COLUMN revision integer NOT NULL DEFAULT 1,
  ADD COLUMN image_digest text,
  ADD COLUMN available_digest text,
  -- The highest generation that was ever given to a deployment.
  ADD COLUMN last_generation integer NOT NULL DEFAULT 0,
  -- The release that an upgrade, a rollback or a redeployment is switching to.
  ADD COLUMN target jsonb;
UPDATE marketplace.apps SET last_generation = generation;

-- Which release served since when, and who decided that.
CREATE TABLE marketplace.version_changes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  app_id uuid NOT NULL REFERENCES marketplace.apps (id) ON DELETE CASCADE,
  kind text NOT NULL,
  from_version text,
  version text NOT NULL,
  revision integer NOT NULL,
  digest text NOT NULL,
  image_digest text,
  actor text,
  reason text,
  at timestamptz NOT NULL
);
CREATE INDEX version_changes_app ON marketplace.version_changes (app_id, id DESC);

-- Every operation of an app, not only the latest.
ALTER TABLE marketplace.operations DROP CONSTRAINT operations_pkey;
ALTER TABLE marketplace.operations ADD PRIMARY KEY (id), ADD COLUMN actor text, ADD COLUMN version text;
CREATE INDEX operations_app ON marketplace.operations (app_id, started_at DESC, id DESC);
`,
  },
  {
    name: "marketplace/0005-drains",
    sql: `
-- The server processes that route requests to apps.
CREATE TABLE marketplace.replicas (
  id uuid PRIMARY KEY,
  joined_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL
);

-- Which generation of an app each of them routes to, and how many exchanges it still has with earlier ones.
CREATE TABLE marketplace.drains (
  replica uuid NOT NULL REFERENCES marketplace.replicas (id) ON DELETE CASCADE,
  app_id uuid NOT NULL REFERENCES marketplace.apps (id) ON DELETE CASCADE,
  generation integer NOT NULL,
  exchanges integer NOT NULL,
  reported_at timestamptz NOT NULL,
  PRIMARY KEY (app_id, replica)
);
CREATE INDEX drains_replica ON marketplace.drains (replica);
`,
  },
  {
    name: "marketplace/0006-undecided-releases",
    sql: `
-- A newer release that was registered, until it is decided whether the app switches to it by itself.
ALTER TABLE marketplace.apps ADD COLUMN undecided_digest text;
CREATE INDEX apps_undecided ON marketplace.apps (updated_at) WHERE undecided_digest IS NOT NULL;
`,
  },
  {
    name: "marketplace/0007-resuming-apps",
    sql: `
-- Since when requests wait for the current deployment, which was stopped for a release that was given up.
ALTER TABLE marketplace.apps ADD COLUMN resumes_since timestamptz;
CREATE INDEX apps_resuming ON marketplace.apps (name) WHERE resumes_since IS NOT NULL;
`,
  },
  {
    name: "marketplace/0008-reports-without-time",
    sql: `
-- Nothing reads this time. Replicas of the previous release write it during a rolling upgrade, so the column stays until the
-- next release, which drops it.
ALTER TABLE marketplace.drains ALTER COLUMN reported_at DROP NOT NULL;
`,
  },
  {
    name: "marketplace/0009-failed-configurations",
    sql: `
-- The configuration with which the last automatic replacement of the deployment failed.
ALTER TABLE marketplace.apps ADD COLUMN failed_configuration text;
`,
  },
];
