import type { Migration } from "@appserver/kernel/ports";

/** Tables of schema `access`. No other service reads or writes them. */
export const accessMigrations: readonly Migration[] = [
  {
    name: "access/0001-groups",
    sql: `
create schema if not exists access;

-- What each source last told of the groups of a person. The tuples of a person's groups are the union of their readings.
create table access.group_readings (
  user_id text collate "C" not null,
  source  text collate "C" not null,
  groups  text[] not null,
  read_at timestamptz not null default now(),
  primary key (user_id, source)
);

-- The tuples that the option \`identity.groups\` wrote: those that were given by hand are not among them.
create table access.mapped_grants (
  subject  text collate "C" not null,
  relation text collate "C" not null,
  object   text collate "C" not null,
  primary key (subject, relation, object)
);
`,
  },
];
