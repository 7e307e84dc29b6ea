-- Each file is applied once, in order. A change of the tables is a new file: 0002_….sql
create table tasks (
  id uuid primary key default gen_random_uuid(),
  title text not null,
  details text not null,
  created_by text not null,
  created_at timestamptz not null default now(),
  done_at timestamptz
);
create index tasks_by_time on tasks (created_at);
