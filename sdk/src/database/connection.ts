import { readFileSync } from "node:fs";
import { partsOfUrl, tlsModes, tlsOptions } from "@appserver/contracts/database";
import type { PoolConfig } from "pg";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A login has 20 connections. The instances of two generations run at once during an upgrade. */
const poolSize = 4;
const example = "postgresql://user:password@localhost:5432/name";

/**
 * Reads the database of the app from DATABASE_URL and PGSSLROOTCERT (docs/interface/containers.md#environment). Throws an Error that says
 * what is expected, without the password.
 */
export function connectionOf(environment: Environment): PoolConfig {
  const text = environment["DATABASE_URL"];
  if (!text)
    throw new Error(
      `DATABASE_URL is not set: the platform sets it for the apps that it runs. For an app that you start yourself, set it, as ${example}`,
    );
  const { host, port = 5432, user, password, database } = partsOf(text);
  return {
    host,
    port,
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
    ...(database !== undefined && { database }),
    ssl: tlsOf(text, environment["PGSSLROOTCERT"]),
    application_name: environment["APP_NAME"] ?? "app",
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
  };
}

/** What a pool has besides its connection. The server ends statements of an app after a minute; this notices a server that is silent. */
export const poolDefaults: PoolConfig = {
  max: poolSize,
  query_timeout: 65_000,
  idle_in_transaction_session_timeout: 60_000,
};

function partsOf(text: string): ReturnType<typeof partsOfUrl> {
  try {
    if (/^postgres(ql)?:\/\//.test(text)) return partsOfUrl(text);
  } catch {
    // The message of the cause may have the password.
  }
  throw new Error(`DATABASE_URL is not the URL of a PostgreSQL database: expected one as ${example}`);
}

function tlsOf(text: string, variable: string | undefined): NonNullable<PoolConfig["ssl"]> {
  const parameters = new URL(text).searchParams;
  const given = parameters.get("sslmode") ?? "disable";
  const mode = tlsModes.find((each) => each === given);
  if (mode === undefined)
    throw new Error(`DATABASE_URL has sslmode=${given}: expected ${tlsModes.slice(0, -1).join(", ")} or ${tlsModes.at(-1)}`);
  const file = parameters.get("sslrootcert") ?? variable;
  return tlsOptions({ mode, rootCertificate: file && mode !== "disable" ? readFileSync(file, "utf8") : undefined });
}
