import type { Migration } from "../platform-ports/database.ts";

export const idempotencyMigrations: readonly Migration[] = [
  {
    name: "platform/0006-idempotency-keys",
    sql: `
      create table platform.idempotency_keys (
        caller          text not null,
        key             text not null,
        digest          bytea not null,
        claim           uuid not null,
        claimed_until   timestamptz not null,
        -- Sealed: a response may contain secrets of an app. Null until the request has ended.
        sealed_response text,
        expires_at      timestamptz not null,
        primary key (caller, key)
      );
      create index idempotency_keys_expiry on platform.idempotency_keys (expires_at)`,
  },
  {
    // The ids of what a request made, stored by the transactions of its work, replace its response.
    name: "platform/0010-idempotency-receipts",
    sql: `
      delete from platform.idempotency_keys;
      alter table platform.idempotency_keys drop column sealed_response, add column receipt jsonb,
        add column ended boolean not null default false;
      create index idempotency_keys_of_caller on platform.idempotency_keys (caller, expires_at)`,
  },
];
