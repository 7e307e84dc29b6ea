import type { Migration } from "@appserver/kernel/ports";

/** Tables of schema `hooks`. Only this service uses them. */
export const hooksMigrations: readonly Migration[] = [
  {
    name: "hooks/0001-events-deliveries-targets",
    sql: `
CREATE SCHEMA IF NOT EXISTS hooks;

CREATE TABLE hooks.events (
  id uuid PRIMARY KEY,
  -- The hook, or \`event:\` and the type of a system event that a notification target gets.
  hook_name text NOT NULL,
  source_app text,
  -- JSON as it was given: jsonb would refuse some of it (\\u0000) and is never searched.
  data text NOT NULL,
  ordering_key text,
  triggered_at timestamptz NOT NULL,
  triggered_by text NOT NULL,
  traceparent text
);
CREATE INDEX events_triggered ON hooks.events (triggered_at);
CREATE INDEX events_trace ON hooks.events (split_part(traceparent, '-', 2)) WHERE traceparent IS NOT NULL;
CREATE INDEX events_hook ON hooks.events (hook_name, id);
CREATE INDEX events_source ON hooks.events (source_app, id);

-- One row per event and subscriber.
CREATE TABLE hooks.deliveries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id uuid NOT NULL REFERENCES hooks.events (id) ON DELETE CASCADE,
  hook_name text NOT NULL,
  -- The subscriber: an app, or \`target:\` and the id of a notification target.
  app_name text NOT NULL,
  -- Source and ordering key: deliveries of one ordering group go to an app one after the other.
  ordering_group text,
  status text NOT NULL DEFAULT 'PENDING',
  -- When to send it (PENDING, RETRYING) or to send it again if no result is stored (SENDING); infinity behind another of its ordering group;
  -- null once it is over.
  due_at timestamptz,
  -- Times it was sent.
  attempt integer NOT NULL DEFAULT 0,
  -- Attempts that count against the retries.
  failures integer NOT NULL DEFAULT 0,
  -- Attempts that ended with the subscriber's stream.
  disconnects integer NOT NULL DEFAULT 0,
  -- Whether the next attempt waits until due_at even if the app works again: the app asked for it.
  waits_fully boolean NOT NULL DEFAULT false,
  -- Once a wait was ended early: when its retry is due. Attempts before it are no retries.
  retry_at timestamptz,
  claimed_by uuid,
  error jsonb,
  attempts jsonb NOT NULL DEFAULT '[]',
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX deliveries_event ON hooks.deliveries (event_id);
CREATE INDEX deliveries_due ON hooks.deliveries (app_name, due_at, id, hook_name) WHERE due_at IS NOT NULL;
-- What may be sent or is being sent sorts before what waits behind it.
CREATE INDEX deliveries_group ON hooks.deliveries (app_name, ordering_group, due_at, id)
  WHERE ordering_group IS NOT NULL AND due_at IS NOT NULL;
CREATE INDEX deliveries_app ON hooks.deliveries (app_name, id);
CREATE INDEX deliveries_hook ON hooks.deliveries (hook_name, id);
CREATE INDEX deliveries_status ON hooks.deliveries (status, id);
-- Whose deliveries are DEAD.
CREATE INDEX deliveries_dead_subscriber ON hooks.deliveries (app_name) WHERE status = 'DEAD';
CREATE INDEX deliveries_dead ON hooks.deliveries (hook_name, id) WHERE status = 'DEAD';
-- Every row changes at least twice: do not wait for a fifth of a large table.
ALTER TABLE hooks.deliveries SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

CREATE TABLE hooks.subscriptions (
  hook_name text NOT NULL,
  app_name text NOT NULL,
  -- Of the app's backend; null where the hook is not posted.
  path text,
  -- Whether the manifest has it; else a stream does.
  declared boolean NOT NULL,
  stream_seen_at timestamptz,
  -- Version and generation that declared it: another one takes back a 410.
  declared_by text,
  disabled_at timestamptz,
  -- Names of other apps whose hooks the subscriber may have. Written with each look at its permissions.
  sources text[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (hook_name, app_name)
);
CREATE INDEX subscriptions_app ON hooks.subscriptions (app_name);

-- Processes that deliver. One that is not seen for a while is dead, and what it was sending goes to others.
CREATE TABLE hooks.replicas (
  id uuid PRIMARY KEY,
  seen_at timestamptz NOT NULL
);

-- Open streams: what they cover is not posted.
CREATE TABLE hooks.streams (
  id uuid PRIMARY KEY,
  replica uuid NOT NULL REFERENCES hooks.replicas (id) ON DELETE CASCADE,
  app_name text NOT NULL,
  -- Null: every hook of the app.
  hook_names text[]
);
CREATE INDEX streams_app ON hooks.streams (app_name);

-- Receivers of system events outside of the platform.
CREATE TABLE hooks.targets (
  id uuid PRIMARY KEY,
  -- As in app_name of the deliveries.
  subscriber text NOT NULL GENERATED ALWAYS AS ('target:' || id::text) STORED UNIQUE,
  name text NOT NULL UNIQUE,
  kind text NOT NULL,
  -- What people see of where it is: a URL without secrets, or addresses.
  address text NOT NULL,
  -- WEBHOOK: the key of its signatures. SLACK: the whole URL.
  sealed_secret text,
  -- Null: all types.
  types text[],
  is_enabled boolean NOT NULL,
  is_configured boolean NOT NULL,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  -- Grows with each change of the row, except of the position.
  revision integer NOT NULL DEFAULT 1,
  -- The last event of the history that has a delivery, or the one before the first. Moves with the deliveries, in one transaction.
  last_event_id uuid NOT NULL
);
`,
  },
];
