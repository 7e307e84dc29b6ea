import type { Migration } from "@appserver/kernel/ports";

/** Tables of schema `marketplace`. No other service reads or writes them. */
export const marketplaceMigrations: readonly Migration[] = [
  {
    name: "marketplace/0001-schema",
    sql: `
CREATE SCHEMA IF NOT EXISTS marketplace;

CREATE TYPE marketplace.path_range AS RANGE (subtype = text, collation = "C");

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
  revision integer NOT NULL DEFAULT 1,
  image_digest text,
  available_digest text,
  -- The highest generation that was ever given to a deployment.
  last_generation integer NOT NULL DEFAULT 0,
  -- The release that an upgrade, a rollback or a redeployment is switching to.
  target jsonb,
  -- A newer release that was registered, until it is decided whether the app switches to it by itself.
  release_awaiting_auto_upgrade text,
  -- Since when requests wait for the current deployment, which was stopped for a release that failed.
  requests_buffered_since timestamptz,
  -- The configuration with which the last automatic replacement of the deployment failed.
  failed_configuration text,
  CONSTRAINT apps_name_key UNIQUE (name),
  CONSTRAINT apps_key_fingerprint_key UNIQUE (key_fingerprint),
  -- Also a path above or below that of another app: what is below '/a' is between '/a/' and '/a0', because '0' follows '/'.
  CONSTRAINT apps_route_base_key EXCLUDE USING gist (marketplace.path_range(route_base || '/', route_base || '0') WITH &&)
    WHERE (route_base IS NOT NULL)
);
CREATE INDEX apps_state ON marketplace.apps (state);

-- A release is one revision of one version. Revisions above 1 exist only where changed content is accepted under the same
-- version.
CREATE TABLE marketplace.manifests (
  app_id uuid NOT NULL REFERENCES marketplace.apps (id) ON DELETE CASCADE,
  version text NOT NULL,
  -- Protobuf, assets without contents.
  manifest bytea NOT NULL,
  registered_at timestamptz NOT NULL,
  revision integer NOT NULL DEFAULT 1,
  digest text NOT NULL,
  registered_by text,
  -- The digest of the container image that the release runs.
  image_digest text,
  -- When the release last began to serve.
  served_at timestamptz,
  PRIMARY KEY (app_id, version, revision),
  CONSTRAINT manifests_digest_key UNIQUE (app_id, digest)
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
  revision integer NOT NULL DEFAULT 1,
  PRIMARY KEY (app_id, version, revision, name),
  FOREIGN KEY (app_id, version, revision) REFERENCES marketplace.manifests (app_id, version, revision) ON DELETE CASCADE
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
CREATE INDEX transitions_at ON marketplace.transitions (at);

CREATE TABLE marketplace.operations (
  -- Null for the deletion of an app that is gone.
  app_id uuid REFERENCES marketplace.apps (id) ON DELETE SET NULL,
  app_name text NOT NULL,
  id uuid PRIMARY KEY,
  kind text NOT NULL,
  stage text NOT NULL,
  progress double precision NOT NULL,
  done boolean NOT NULL,
  error jsonb,
  started_at timestamptz NOT NULL,
  finished_at timestamptz,
  actor text,
  client text,
  version text NOT NULL
);
CREATE INDEX operations_app ON marketplace.operations (app_id, started_at DESC, id DESC);
CREATE INDEX operations_unfinished ON marketplace.operations (started_at) WHERE NOT done;

-- The certificate that holds for each app, of whichever version it came with.
CREATE TABLE marketplace.pinned_certificates (
  app_id uuid PRIMARY KEY REFERENCES marketplace.apps (id) ON DELETE CASCADE,
  certificate bytea NOT NULL
);

-- An approval holds for one entry of required_permissions. Owner: the app whose scope it is, empty for the platform's.
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
  in_force boolean NOT NULL,
  -- When the grants were last compared with the authorization store, and how many tuples it lacked since when.
  compared_at timestamptz,
  missing integer NOT NULL DEFAULT 0,
  missing_since timestamptz
);

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
  PRIMARY KEY (app_id, replica)
);
CREATE INDEX drains_replica ON marketplace.drains (replica);
`,
  },
  {
    name: "marketplace/0002-release-source",
    sql: `
-- The run of the trusted pipeline that registered the release.
alter table marketplace.manifests add column source jsonb;
`,
  },
  {
    name: "marketplace/0003-manifest-signature",
    sql: `
-- Over the manifest in its canonical form, with the key of its certificate. Null: it was registered without a signature.
ALTER TABLE marketplace.manifests ADD COLUMN signature bytea;
`,
  },
  {
    name: "marketplace/0004-sleep",
    sql: `
ALTER TABLE marketplace.apps ADD COLUMN asleep_since timestamptz;
-- Whether the replica lets new requests of the app wait until it is woken.
ALTER TABLE marketplace.drains ADD COLUMN is_asleep boolean NOT NULL DEFAULT false;
`,
  },
  {
    name: "marketplace/0005-clones",
    sql: `
-- What the app is a clone of. Null: it was registered by itself.
ALTER TABLE marketplace.apps ADD COLUMN cloned_from jsonb;
`,
  },
  {
    name: "marketplace/0006-addresses",
    sql: `
-- Of the instances of the container, if requests are spread over them.
ALTER TABLE marketplace.apps ADD COLUMN addresses text[];
`,
  },
  {
    name: "marketplace/0007-description",
    sql: "alter table marketplace.apps add column description text",
  },
  {
    name: "marketplace/0008-api-descriptions",
    sql: `
-- What was read of the documents in which releases describe their APIs. It goes with the release.
create table marketplace.api_descriptions (
  app_id uuid not null,
  -- Of the manifest.
  digest text not null,
  -- When the document was last read.
  read_at timestamptz not null,
  -- Why that failed. The other columns are then those of the last reading that succeeded.
  problem text,
  document_digest text,
  operations integer not null default 0,
  -- The text is kept: names of properties have an order.
  description json,
  primary key (app_id, digest),
  foreign key (app_id, digest) references marketplace.manifests (app_id, digest) on delete cascade
);
`,
  },
];
