-- A week without a row is open: it has no person yet.
create table duties (
  monday date primary key check (extract(isodow from monday) = 1),
  user_id text not null,
  -- The person who was asked to take the week.
  asked_id text check (asked_id <> user_id),
  -- When the person was told that the week begins.
  told_at timestamptz
);
