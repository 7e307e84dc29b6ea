import type { Migration } from "@appserver/driver";

/**
 * Counts hits, each against every window of its key, as if they came one after the other. Hits of one key follow each other; keys are
 * in order, so that two calls never wait for each other. `moments` are microseconds of the server's clock, ascending. While a call has
 * counted hits of a key and has not committed, other calls wait for the row: limits are exact over all processes.
 *
 * The server's clock may be set back. Hits would then be in the future and fill their windows for longer than the windows last. They
 * are moved to now, which never allows more hits.
 */
const countHits = `
  create function cache.count_hits(keys text[], window_counts integer[], limits bigint[], lengths bigint[])
  returns table (allowed boolean, decisive integer, remaining bigint, reset_us bigint)
  language plpgsql as $$
  declare
    current_key text;
    times bigint[];
    has_changed boolean := false;
    expires_us bigint;
    now_us bigint;
    newest bigint;
    longest bigint;
    most bigint;
    first_window integer := 1;
    wait_us bigint;
    inside integer;
    n integer;
  begin
    for hit in 1 .. cardinality(keys) loop
      if current_key is distinct from keys[hit] then
        if has_changed then
          update cache.hits set moments = times, expires_at = to_timestamp(expires_us / 1000000.0) where key = current_key;
        end if;
        current_key := keys[hit];
        has_changed := false;
        loop
          select h.moments, (extract(epoch from h.expires_at) * 1000000)::bigint into times, expires_us
            from cache.hits h where h.key = current_key for update;
          exit when found;
          insert into cache.hits (key, moments, expires_at) values (current_key, '{}', clock_timestamp())
            on conflict (key) do nothing;
        end loop;
      end if;

      longest := 0;
      most := 0;
      for i in first_window .. first_window + window_counts[hit] - 1 loop
        longest := greatest(longest, lengths[i]);
        most := greatest(most, limits[i]);
      end loop;
      now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
      newest := coalesce(times[cardinality(times)], 0);
      if newest > now_us + 10000 then
        times := array(select moment - newest + now_us from unnest(times) with ordinality as of_key (moment, place) order by place);
      end if;
      now_us := greatest(now_us, coalesce(times[cardinality(times)], 0));
      times := times[width_bucket(now_us - longest, times) + 1 :];
      n := cardinality(times);

      allowed := true;
      reset_us := 0;
      for i in first_window .. first_window + window_counts[hit] - 1 loop
        wait_us := case
          when limits[i] <= 0 then lengths[i]
          when n >= limits[i] then times[n - limits[i] + 1] + lengths[i] - now_us
          else 0 end;
        if wait_us > reset_us then
          allowed := false;
          decisive := i - first_window;
          remaining := 0;
          reset_us := wait_us;
        end if;
      end loop;

      if allowed then
        times := times || now_us;
        n := n + 1;
        remaining := null;
        for i in first_window .. first_window + window_counts[hit] - 1 loop
          inside := n - width_bucket(now_us - lengths[i], times);
          if remaining is null or limits[i] - inside < remaining then
            decisive := i - first_window;
            remaining := limits[i] - inside;
            reset_us := times[n - inside + 1] + lengths[i] - now_us;
          end if;
        end loop;
        times := times[greatest(1, n - most + 1) :];
        expires_us := greatest(expires_us, now_us + longest);
        has_changed := true;
      end if;
      first_window := first_window + window_counts[hit];
      return next;
    end loop;
    if has_changed then
      update cache.hits set moments = times, expires_at = to_timestamp(expires_us / 1000000.0) where key = current_key;
    end if;
  end
  $$;
`;

/** The schema `cache`, which only this driver uses. */
export const cacheMigrations: readonly Migration[] = [
  {
    name: "cache/0001-tables",
    sql: `
      create schema if not exists cache;

      -- Unlogged tables are empty after a crash of the server: limits begin again, values are computed again.
      create unlogged table cache.hits (
        key text collate "C" primary key,
        moments bigint[] not null,
        expires_at timestamptz not null
      ) with (fillfactor = 60);
      alter table cache.hits alter column moments set storage external;

      create unlogged table cache.entries (
        key text collate "C" primary key,
        value bytea not null,
        expires_at timestamptz not null
      );

      -- Logged: after a crash a used signature must not be accepted again.
      create table cache.marks (
        key text collate "C" primary key,
        is_evictable boolean not null,
        expires_at timestamptz not null
      );
      ${countHits}
    `,
  },
];
