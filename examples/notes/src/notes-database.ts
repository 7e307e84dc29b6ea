import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** A login has 20 connections. Two generations with logins of their own run at once during an upgrade. */
const poolSize = 4;
const startTimeoutMs = 60_000;
const pauseMs = 500;

/** `created_by` is `user:<id>` or `app:<name>`, `traceparent` the trace of the request that added the note. */
const schema = `
  create table if not exists notes (
    position bigint generated always as identity primary key,
    id uuid not null unique default gen_random_uuid(),
    text text not null,
    created_at timestamptz(3) not null default now(),
    created_by text not null,
    edited_at timestamptz,
    traceparent text,
    is_announced boolean not null default false
  );
  -- Only where it is missing: the lock of an alteration would stop the requests of a version that runs.
  do $$ begin
    if not exists (select from pg_attribute where attrelid = 'notes'::regclass and attname = 'edited_at' and not attisdropped)
    then alter table notes add column edited_at timestamptz; end if;
    if not exists (select from pg_attribute where attrelid = 'notes'::regclass and attname = 'traceparent' and not attisdropped)
    then alter table notes add column traceparent text; end if;
  end $$;
  create index if not exists notes_not_announced on notes (position) where not is_announced`;
/** Two processes may start at once, and PostgreSQL rejects one of two concurrent creations of a table. Any number. */
const schemaLock = 7_041_776;

/**
 * Connects to the database that the platform gives to each app (DB_HOST and so on), and creates the tables. Waits for a server
 * that is starting. The pool replaces lost connections.
 */
export async function openNotesDatabase(environment: Readonly<Record<string, string | undefined>>): Promise<pg.Pool> {
  const pool = new pg.Pool(poolConfig(environment));
  // Without listeners a lost connection would end the process. The next query gets a new one.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  for (const deadline = performance.now() + startTimeoutMs; ; await sleep(pauseMs)) {
    try {
      // Statements without parameters run in one transaction, at whose end the lock is released.
      await pool.query(`select pg_advisory_xact_lock(${schemaLock}); ${schema}`);
      return pool;
    } catch (error) {
      if (isFinal(error) || performance.now() > deadline) {
        await pool.end();
        throw error;
      }
    }
  }
}

function poolConfig(environment: Readonly<Record<string, string | undefined>>): pg.PoolConfig {
  const required = (name: string): string => {
    const value = environment[name];
    if (!value) throw new Error(`${name} is not set: notes are stored in a PostgreSQL database, see README.md`);
    return value;
  };
  return {
    host: required("DB_HOST"),
    port: Number(environment["DB_PORT"] ?? 5432),
    database: required("DB_NAME"),
    user: required("DB_USER"),
    password: environment["DB_PASSWORD"] ?? "",
    ssl: tlsOf(environment["DB_SSL_MODE"] ?? "disable"),
    application_name: "notes",
    max: poolSize,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    // A note that is announced for longer is free for another process.
    idle_in_transaction_session_timeout: 60_000,
  };
}

function tlsOf(mode: string): pg.PoolConfig["ssl"] {
  if (mode === "disable") return false;
  if (mode === "require") return { rejectUnauthorized: false };
  if (mode === "verify-ca") return { rejectUnauthorized: true, checkServerIdentity: () => undefined };
  return { rejectUnauthorized: true };
}

/** Wrong credentials, a missing database or a missing right: another attempt would fail as well. */
function isFinal(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" && /^(28|3D|42)/.test(code);
}
