create table polls (
  id integer primary key generated always as identity,
  question text not null,
  created_by text not null,
  created_at timestamptz not null default now(),
  closed_at timestamptz
);
create table choices (
  poll_id integer references polls on delete cascade,
  position integer check (position between 0 and 7),
  text text not null,
  primary key (poll_id, position)
);
-- A person has one vote in a poll: the key refuses the second one.
create table votes (
  poll_id integer,
  user_id text,
  position integer not null,
  primary key (poll_id, user_id),
  foreign key (poll_id, position) references choices on delete cascade
);
