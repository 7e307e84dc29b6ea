create table expenses (
  id integer primary key generated always as identity,
  user_id text not null,
  purpose text not null,
  -- In cents, so that sums are exact.
  cents integer not null check (cents > 0),
  currency text not null,
  spent_on date not null,
  created_at timestamptz not null default now(),
  state text not null default 'OPEN' check (state in ('OPEN', 'APPROVED', 'REFUSED')),
  decided_by text,
  decided_at timestamptz,
  -- Of a refusal.
  reason text,
  check ((state = 'OPEN') = (decided_by is null)),
  check ((state = 'REFUSED') = (reason is not null))
);
create index expenses_by_user on expenses (user_id, id);
