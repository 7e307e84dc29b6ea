import type { Migration } from "@appserver/kernel/ports";

/** The schema `authz`, which only this driver uses. */
export const authorizationMigrations: readonly Migration[] = [
  {
    name: "authorization/0001-tuples",
    sql: `
      CREATE SCHEMA IF NOT EXISTS authz;

      -- One row. Writers lock it first, so that revisions become visible in the order of their numbers.
      CREATE TABLE authz.revision (
        single boolean PRIMARY KEY DEFAULT true CHECK (single),
        value bigint NOT NULL,
        -- The lowest revision whose changes are still kept.
        kept_from bigint NOT NULL
      );
      INSERT INTO authz.revision (value, kept_from) VALUES (0, 1);

      CREATE TABLE authz.tuple (
        object text NOT NULL,
        relation text NOT NULL,
        subject text NOT NULL,
        condition jsonb,
        PRIMARY KEY (object, relation, subject)
      );
      CREATE INDEX tuple_by_subject ON authz.tuple (subject);

      CREATE TABLE authz.change (
        revision bigint NOT NULL,
        position integer NOT NULL,
        deleted boolean NOT NULL,
        object text NOT NULL,
        relation text NOT NULL,
        subject text NOT NULL,
        condition jsonb,
        PRIMARY KEY (revision, position)
      );
    `,
  },
  {
    name: "authorization/0002-model",
    sql: `
      -- One row, which \`appserver authz bootstrap\` writes.
      CREATE TABLE authz.model (
        single boolean PRIMARY KEY DEFAULT true CHECK (single),
        id text NOT NULL,
        definition jsonb NOT NULL
      );
    `,
  },
];
