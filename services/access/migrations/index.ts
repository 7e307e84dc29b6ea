import type { Migration } from "@appserver/kernel/ports";

/** Tables of schema `access`. No other service reads or writes them. */
export const accessMigrations: readonly Migration[] = [
  {
    name: "access/0001-groups",
    sql: `
create schema if not exists access;

-- What each source last told of the groups of a person. The tuples of a person's groups are the union of their readings.
create table access.group_readings (
  user_id text collate "C" not null,
  source  text collate "C" not null,
  groups  text[] not null,
  read_at timestamptz not null default now(),
  primary key (user_id, source)
);

-- The tuples that the option \`identity.groups\` wrote: those that were given by hand are not among them.
create table access.mapped_grants (
  subject  text collate "C" not null,
  relation text collate "C" not null,
  object   text collate "C" not null,
  primary key (subject, relation, object)
);
`,
  },
  {
    name: "access/0002-service-accounts",
    // A token is stored as its hash. Whatever ends one, all processes are notified: `<account>:<token>`.
    sql: `
create table access.service_accounts (
  id         uuid primary key,
  name       text collate "C" not null unique,
  created_by text not null,
  created_at timestamptz not null default now()
);

create table access.service_account_tokens (
  id         uuid primary key,
  token_key  text collate "C" not null unique,
  account_id uuid not null references access.service_accounts on delete cascade,
  scopes     text[],
  created_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at    timestamptz
);
create index on access.service_account_tokens (account_id);

create function access.notify_tokens_ended() returns trigger language plpgsql as $$
  begin
    perform pg_notify('access_tokens_ended', account_id || ':' || id) from ended;
    return null;
  end
$$;
create trigger notify_ended after delete on access.service_account_tokens
  referencing old table as ended for each statement execute function access.notify_tokens_ended();
`,
  },
  {
    name: "access/0003-trusted-pipelines",
    // A token that was exchanged is a token of its account, and ends with the trust. What was exchanged once is refused on every server.
    sql: `
create table access.trusted_pipelines (
  id            uuid primary key,
  account_id    uuid not null references access.service_accounts on delete cascade,
  provider      text not null,
  issuer        text collate "C" not null,
  audience      text not null,
  repository    text,
  repository_id text,
  ref           text,
  environment   text,
  claims        jsonb not null,
  apps          text[] not null,
  -- A digest of all that a token must have.
  condition_key text collate "C" not null unique,
  created_by    text not null,
  created_at    timestamptz not null default now(),
  used_at       timestamptz
);
create index on access.trusted_pipelines (issuer);
create index on access.trusted_pipelines (account_id);

create table access.exchanged_tokens (
  token_key  text collate "C" primary key,
  expires_at timestamptz not null
);
create index on access.exchanged_tokens (expires_at);

alter table access.service_account_tokens
  add column trust_id uuid references access.trusted_pipelines on delete cascade,
  add column run jsonb;
create index on access.service_account_tokens (trust_id, expires_at) where trust_id is not null;
`,
  },
  {
    name: "access/0004-requests",
    // A person has one row for each access that was asked for.
    sql: `
create table access.requests (
  id           uuid primary key,
  user_id      text collate "C" not null,
  app_name     text collate "C" not null,
  access       text collate "C" not null,
  reason       text,
  requested_at timestamptz not null,
  state        text not null default 'OPEN',
  decided_at   timestamptz,
  unique (user_id, app_name, access)
);
create index on access.requests (requested_at);
create index on access.requests (id) where state = 'OPEN';
create index on access.requests (app_name);
`,
  },
  {
    name: "access/0005-messages",
    sql: `
create table access.messages (
  id       uuid primary key,
  user_id  text collate "C" not null,
  app_name text collate "C" not null,
  title    text not null,
  text     text,
  path     text not null,
  sent_at  timestamptz not null,
  read_at  timestamptz
);
create index on access.messages (user_id, id);
create index on access.messages (app_name);
create index on access.messages (sent_at);
`,
  },
  {
    name: "access/0006-agents",
    // Codes and tokens are stored as their hashes. A consent ends with its row, and its tokens with it.
    sql: `
create table access.agent_consents (
  id           text collate "C" primary key,
  user_id      text collate "C" not null,
  display_name text not null,
  email        text,
  client_id    text collate "C" not null,
  client_name  text not null,
  apps         text[],
  is_read_only boolean not null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  used_at      timestamptz
);
create index on access.agent_consents (user_id);
create index on access.agent_consents (client_id);
create index on access.agent_consents (expires_at);

create table access.oauth_records (
  model       text collate "C" not null,
  key         text collate "C" not null,
  grant_id    text collate "C",
  uid         text collate "C",
  payload     jsonb not null,
  created_at  timestamptz not null default clock_timestamp(),
  expires_at  timestamptz not null,
  consumed_at timestamptz,
  primary key (model, key)
);
create index on access.oauth_records (grant_id) where grant_id is not null;
create index on access.oauth_records (model, uid) where uid is not null;
create index on access.oauth_records (expires_at);
create index on access.oauth_records (created_at) where model = 'Client';
`,
  },
];
