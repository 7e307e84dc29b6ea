create table services (
  id integer primary key generated always as identity,
  name text not null unique,
  url text not null
);
create table checks (
  service_id integer not null references services on delete cascade,
  checked_at timestamptz not null default now(),
  is_up boolean not null,
  ms integer not null,
  -- Why the service is down.
  problem text,
  primary key (service_id, checked_at)
);
