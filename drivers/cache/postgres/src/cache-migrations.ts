import type { Migration } from "@appserver/driver";
import { countHits } from "./count-hits.ts";

/** The schema `cache`, which only this driver uses. */
export const cacheMigrations: readonly Migration[] = [
  {
    name: "cache/0001-tables",
    sql: `
      create schema if not exists cache;

      -- Unlogged tables are empty after a crash of the server: limits begin again, values are computed again.
      create unlogged table cache.counters (
        key        text collate "C" primary key,
        -- Number of hits since the row exists. The first one has the number 0.
        total      bigint not null default 0,
        -- Microseconds since 1970 by the clock of the server, as all moments.
        newest     bigint not null default 0,
        -- The moments of the last hits, up to 127.
        tail       bigint[] not null default '{}',
        expires_at timestamptz not null
      ) with (fillfactor = 60);
      -- The moments of the hits before these: each row has 128 of them.
      create unlogged table cache.hits (
        key          text collate "C" not null references cache.counters on delete cascade,
        -- The first hit of the row has the number 128 * chunk.
        chunk        bigint not null,
        first_moment bigint not null,
        moments      bigint[] not null,
        primary key (key, chunk)
      );
      create index hits_by_moment on cache.hits (key, first_moment, chunk);

      create unlogged table cache.entries (
        key        text collate "C" primary key,
        value      bytea not null,
        expires_at timestamptz not null
      );

      -- Logged: after a crash a used signature must not be accepted again.
      create table cache.marks (
        key          text collate "C" primary key,
        is_evictable boolean not null,
        expires_at   timestamptz not null
      );
      ${countHits}
    `,
  },
];
