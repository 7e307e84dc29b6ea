import type { Migration } from "@appserver/kernel/ports";

export const accountsMigrations: readonly Migration[] = [
  {
    name: "accounts/0001-accounts",
    // An account has no address until the first administrator has chosen one, or if a provider does not tell one. Tokens are stored as
    // hashes. Whatever ends a session or changes a person, all processes are notified. A key seals what browsers keep of a sign-in at a provider, for all servers.
    sql: `
      create schema if not exists accounts;

      create table accounts.people (
        id           uuid primary key,
        email        text,
        email_key    text collate "C" unique,
        email_proven boolean not null default false,
        name         text not null,
        state        text not null check (state in ('invited', 'active', 'disabled')),
        is_first     boolean not null default false,
        created_at   timestamptz not null default now()
      );

      create table accounts.identities (
        issuer      text collate "C" not null,
        subject     text collate "C" not null,
        provider_id text collate "C" not null,
        person_id   uuid not null references accounts.people on delete cascade,
        created_at  timestamptz not null default now(),
        primary key (issuer, subject)
      );
      create index on accounts.identities (person_id);

      create table accounts.keys (
        purpose text collate "C" primary key,
        key     bytea not null
      );

      create table accounts.passwords (
        person_id  uuid primary key references accounts.people on delete cascade,
        hash       text not null,
        changed_at timestamptz not null default now()
      );

      create table accounts.sessions (
        id         uuid primary key,
        token_key  text collate "C" not null unique,
        person_id  uuid not null references accounts.people on delete cascade,
        methods    text[] not null,
        proven_at  timestamptz not null default now(),
        created_at timestamptz not null default now(),
        used_at    timestamptz not null default now(),
        ends_at    timestamptz not null,
        device     text not null,
        network    text not null
      ) with (fillfactor = 80);
      create index on accounts.sessions (person_id);
      create index on accounts.sessions (ends_at);

      create function accounts.notify_ended() returns trigger language plpgsql as $$
        begin
          perform pg_notify('accounts_sessions_ended', person_id || ':' || id) from ended;
          return null;
        end
      $$;
      create trigger notify_ended after delete on accounts.sessions
        referencing old table as ended for each statement execute function accounts.notify_ended();

      create function accounts.notify_person() returns trigger language plpgsql as $$
        begin
          if new.state <> 'active' then
            delete from accounts.sessions where person_id = new.id;
          end if;
          perform pg_notify('accounts_sessions_ended', new.id::text);
          return null;
        end
      $$;
      create trigger notify_person after update of name, email, state on accounts.people
        for each row when (old.state = 'active' and (old.name <> new.name or old.email is distinct from new.email or old.state <> new.state))
        execute function accounts.notify_person();

      create table accounts.links (
        token_key  text collate "C" primary key,
        purpose    text not null check (purpose in ('invitation', 'recovery')),
        person_id  uuid not null references accounts.people on delete cascade,
        created_by text not null,
        ends_at    timestamptz not null
      );
      create index on accounts.links (person_id);
      create index on accounts.links (ends_at);

      create table accounts.letters (
        id         uuid primary key,
        person_id  uuid references accounts.people on delete cascade,
        tries      int not null default 0,
        created_at timestamptz not null default now(),
        due_at     timestamptz not null default now()
      );
      create index on accounts.letters (person_id);
      create index on accounts.letters (due_at);

      create table accounts.networks (
        person_id uuid not null references accounts.people on delete cascade,
        network   text collate "C" not null,
        seen_at   timestamptz not null default now(),
        primary key (person_id, network)
      );

      create table accounts.attempts (
        key text collate "C" not null,
        at  timestamptz not null
      );
      create index on accounts.attempts (key, at);
      create index on accounts.attempts (at);
    `,
  },
  {
    name: "accounts/0002-secrets",
    // Secrets that have to be read again, encrypted with the keys of secret settings.
    sql: `
      create table accounts.secrets (
        person_id  uuid not null references accounts.people on delete cascade,
        name       text collate "C" not null,
        session_id uuid references accounts.sessions on delete cascade,
        sealed     text not null,
        primary key (person_id, name)
      );
      create index on accounts.secrets (session_id);
    `,
  },
  {
    name: "accounts/0003-provider-sessions",
    // Sessions whose groups are read again from their provider.
    sql: `
      create table accounts.provider_sessions (
        session_id  uuid primary key references accounts.sessions on delete cascade,
        provider_id text collate "C" not null,
        subject     text collate "C" not null,
        read_at     timestamptz not null default now(),
        due_at      timestamptz not null
      );
      create index on accounts.provider_sessions (due_at);
    `,
  },
  {
    name: "accounts/0004-second-factor",
    // The secret of TOTP is in accounts.secrets. A row of accounts.totp exists when a code has confirmed it; `last_step` is the newest
    // time step whose code was used. Recovery codes are stored as hashes. A challenge is stored when a passkey has signed it.
    sql: `
      create table accounts.totp (
        person_id  uuid primary key references accounts.people on delete cascade,
        last_step  bigint not null,
        created_at timestamptz not null default now()
      );

      create table accounts.recovery_codes (
        person_id uuid not null references accounts.people on delete cascade,
        code_key  text collate "C" not null,
        primary key (person_id, code_key)
      );

      create table accounts.passkeys (
        credential_id text collate "C" primary key,
        person_id     uuid not null references accounts.people on delete cascade,
        rp_id         text collate "C" not null,
        public_key    bytea not null,
        counter       bigint not null,
        transports    text[] not null,
        name          text not null,
        created_at    timestamptz not null default now(),
        used_at       timestamptz
      );
      create index on accounts.passkeys (person_id);

      create table accounts.used_challenges (
        challenge_key text collate "C" primary key,
        used_at       timestamptz not null default now()
      );
      create index on accounts.used_challenges (used_at);
    `,
  },
  {
    name: "accounts/0005-scim",
    // What an organisation's identity system says of people and groups. An account in a group whose groups are not written as permissions
    // yet is stale.
    sql: `
      create table accounts.scim_users (
        person_id     uuid primary key references accounts.people on delete cascade,
        user_name     text not null,
        user_name_key text collate "C" not null constraint scim_user_name unique,
        external_id   text collate "C",
        profile       jsonb not null,
        email_keys    text[] collate "C" not null,
        groups_stale  boolean not null default false,
        version       bigint not null default 1,
        created_at    timestamptz not null default now(),
        modified_at   timestamptz not null default now()
      );
      create index on accounts.scim_users (external_id);
      create index on accounts.scim_users using gin (email_keys);
      create index on accounts.scim_users (person_id) where groups_stale;

      create table accounts.scim_groups (
        id           uuid primary key,
        display_name text not null,
        display_key  text collate "C" not null constraint scim_group_name unique,
        external_id  text collate "C",
        version      bigint not null default 1,
        created_at   timestamptz not null default now(),
        modified_at  timestamptz not null default now()
      );
      create index on accounts.scim_groups (external_id);

      create table accounts.scim_members (
        group_id  uuid not null references accounts.scim_groups on delete cascade,
        person_id uuid not null references accounts.scim_users on delete cascade,
        primary key (group_id, person_id)
      );
      create index on accounts.scim_members (person_id);
    `,
  },
  {
    name: "accounts/0006-invitation-letters",
    // An invitation has an end of its own; the link of a recovery is valid from when its letter is sent.
    sql: `
      alter table accounts.letters
        add column purpose    text not null default 'recovery',
        add column created_by text not null default 'letter',
        add column ends_at    timestamptz;
    `,
  },
];
