create table links (
  id integer generated always as identity primary key,
  group_name text not null,
  title text not null,
  url text not null,
  unique (group_name, title)
);
