/**
 * Counts hits, each against every window of its key, as if they came one after the other. The keys of a call are in order, so that two
 * calls never wait for each other. While a call has counted hits of a key and has not committed, other calls wait for the row: limits
 * are exact over all processes. A hit costs the same for a limit of ten and of a million: numbers lead to a moment, moments to a number.
 *
 * The server's clock may be set back. Hits would then be in the future and fill their windows for longer than the windows last. They
 * are moved to now, which never allows more hits.
 */
export const countHits = `
  -- The moment of the nth newest hit; null if there is none, or it is older than every window.
  create function cache.nth_newest(counter cache.counters, nth bigint) returns bigint language plpgsql as $$
  begin
    if nth > counter.total then return null; end if;
    if nth <= cardinality(counter.tail) then return counter.tail[cardinality(counter.tail) - nth + 1]; end if;
    return (select h.moments[(counter.total - nth) % 128 + 1] from cache.hits h
             where h.key = counter.key and h.chunk = (counter.total - nth) / 128);
  end
  $$;

  create function cache.hits_after(counter cache.counters, moment bigint) returns bigint language plpgsql as $$
  declare
    found_chunk cache.hits;
  begin
    if counter.tail[1] <= moment then return cardinality(counter.tail) - width_bucket(moment, counter.tail); end if;
    select * into found_chunk from cache.hits h
     where h.key = counter.key and h.first_moment <= moment order by h.first_moment desc, h.chunk desc limit 1;
    if found then
      return counter.total - found_chunk.chunk * 128 - width_bucket(moment, found_chunk.moments);
    end if;
    return counter.total - coalesce(
      (select h.chunk * 128 from cache.hits h where h.key = counter.key order by h.chunk limit 1),
      counter.total - cardinality(counter.tail));
  end
  $$;

  create function cache.add_hit(inout counter cache.counters, longest bigint) language plpgsql as $$
  begin
    counter.tail := counter.tail || counter.newest;
    counter.total := counter.total + 1;
    counter.expires_at := greatest(counter.expires_at, to_timestamp((counter.newest + longest) / 1000000.0));
    if cardinality(counter.tail) < 128 then return; end if;
    insert into cache.hits (key, chunk, first_moment, moments)
    values (counter.key, counter.total / 128 - 1, counter.tail[1], counter.tail);
    counter.tail := '{}';
    delete from cache.hits h where h.key = counter.key and h.chunk < (
      select max(older.chunk) from cache.hits older where older.key = h.key and older.first_moment <= counter.newest - longest);
  end
  $$;

  create function cache.locked_counter(of_key text, out counter cache.counters) language plpgsql as $$
  declare
    clock bigint;
    ahead bigint;
  begin
    loop
      select * into counter from cache.counters c where c.key = of_key for update;
      exit when found;
      insert into cache.counters (key, expires_at) values (of_key, clock_timestamp()) on conflict (key) do nothing;
    end loop;
    clock := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
    ahead := counter.newest - clock;
    if ahead <= 10000 then return; end if;
    counter.newest := clock;
    counter.tail := array(select m - ahead from unnest(counter.tail) with ordinality as of_tail (m, place) order by place);
    update cache.hits h
       set first_moment = first_moment - ahead,
           moments = array(select m - ahead from unnest(h.moments) with ordinality as of_row (m, place) order by place)
     where h.key = of_key;
  end
  $$;

  create function cache.count_hits(keys text[], window_counts integer[], limits bigint[], lengths bigint[])
  returns table (allowed boolean, decisive integer, remaining bigint, reset_us bigint) language plpgsql as $$
  declare
    counter cache.counters;
    now_us bigint;
    longest bigint;
    first_window integer := 1;
    last_window integer;
    wait_us bigint;
    inside bigint;
  begin
    for hit in 1 .. cardinality(keys) loop
      if counter.key is distinct from keys[hit] then counter := cache.locked_counter(keys[hit]); end if;
      now_us := greatest((extract(epoch from clock_timestamp()) * 1000000)::bigint, counter.newest);
      last_window := first_window + window_counts[hit] - 1;
      longest := 0;
      allowed := true;
      reset_us := 0;
      for i in first_window .. last_window loop
        longest := greatest(longest, lengths[i]);
        wait_us := case
          when limits[i] <= 0 then lengths[i]
          else coalesce(cache.nth_newest(counter, limits[i]) + lengths[i] - now_us, 0) end;
        if wait_us > reset_us then
          allowed := false;
          decisive := i - first_window;
          remaining := 0;
          reset_us := wait_us;
        end if;
      end loop;
      if allowed then
        counter.newest := now_us;
        counter := cache.add_hit(counter, longest);
        remaining := null;
        for i in first_window .. last_window loop
          inside := cache.hits_after(counter, now_us - lengths[i]);
          if remaining is null or limits[i] - inside < remaining then
            decisive := i - first_window;
            remaining := limits[i] - inside;
            reset_us := cache.nth_newest(counter, inside) + lengths[i] - now_us;
          end if;
        end loop;
      end if;
      if counter.key is distinct from keys[hit + 1] then
        update cache.counters c
           set total = counter.total, newest = counter.newest, tail = counter.tail, expires_at = counter.expires_at
         where c.key = counter.key and c.total <> counter.total;
      end if;
      first_window := last_window + 1;
      return next;
    end loop;
  end
  $$;
`;
