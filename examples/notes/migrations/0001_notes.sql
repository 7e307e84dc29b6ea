-- created_by is user:<id> or app:<name>, traceparent the trace of the request that added the note.
create table notes (
  position bigint generated always as identity primary key,
  id uuid not null unique default gen_random_uuid(),
  text text not null,
  created_at timestamptz(3) not null default now(),
  created_by text not null,
  edited_at timestamptz,
  traceparent text,
  is_announced boolean not null default false
);
create index notes_not_announced on notes (position) where not is_announced;
