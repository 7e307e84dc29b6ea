create table rooms (
  id integer primary key generated always as identity,
  name text not null unique,
  seats integer not null
);
create table bookings (
  id integer primary key generated always as identity,
  room_id integer not null references rooms on delete cascade,
  user_id text not null,
  purpose text not null,
  during tstzrange not null check (not isempty(during)),
  -- Two bookings of a room never overlap, also of two people at once. A range of one number stands for the room, because GiST knows ranges
  -- without an extension.
  exclude using gist (int4range(room_id, room_id, '[]') with &&, during with &&)
);
