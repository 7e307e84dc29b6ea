import { randomBytes } from "node:crypto";
import type { PostgresConnection, PostgresDatabase } from "@appserver/database-postgres";
import { ensureKratos, type KratosAddresses } from "../../tools/services/kratos.ts";
import { KratosAccounts } from "../../tools/services/kratos-accounts.ts";
import { ensureOpenFga } from "../../tools/services/openfga.ts";
import { ensurePostgres } from "../../tools/services/postgres.ts";
import { ensureRabbitMq } from "../../tools/services/rabbitmq.ts";
import { ensureRedis } from "../../tools/services/redis.ts";
import { createTestDatabase } from "./postgres.ts";

/** A server that the caller started in order to stop or freeze it. Used instead of the shared one. */
export interface OwnServers {
  readonly postgres?: { readonly connection: PostgresConnection };
  readonly rabbitmq?: { readonly url: string };
  readonly redis?: { readonly url: string };
  readonly openfga?: { readonly url: string; readonly token: string | undefined };
  readonly kratos?: KratosAddresses;
}

/** What the platform runs on: every server of production, or PostgreSQL alone, with Kratos for the users of the tests. */
export type ServiceSet = "all" | "postgres";

/**
 * Running PostgreSQL, Redis, RabbitMQ, OpenFGA and Kratos, with resources that no other test uses: a database, a virtual host,
 * a namespace and a store name.
 */
export interface ProductionServices {
  /** APPSERVER_INSTANCE: also the namespace in Redis, the store in OpenFGA and the label of containers. */
  readonly instance: string;
  /**
   * The environment of `appserver serve`, `migrate`, `authz` and `orchestrate`: the servers' addresses and the platform's
   * secrets.
   */
  readonly environment: Readonly<Record<string, string>>;
  readonly registrationToken: string;
  /** A direct connection to the platform's database. */
  readonly database: PostgresDatabase;
  readonly connection: PostgresConnection;
  readonly kratos: KratosAddresses;
  /** Users and their sessions. */
  readonly accounts: KratosAccounts;
  /** Removes these resources and releases the servers. */
  stop(): Promise<void>;
}

interface Room {
  readonly environment: Readonly<Record<string, string>>;
  /** In the required order. */
  readonly ends: readonly (() => Promise<void>)[];
}

type Unavailable = { readonly unavailable: string };

/**
 * Starts the servers that do not run yet and creates the resources, which takes seconds. Or returns which server is
 * unavailable, and why. APPSERVER_TEST_SERVICES=postgres lets tests that do not name a set run on PostgreSQL alone.
 */
export async function startProductionServices(
  own: OwnServers = {},
  set: ServiceSet = process.env["APPSERVER_TEST_SERVICES"] === "postgres" ? "postgres" : "all",
): Promise<ProductionServices | Unavailable> {
  const instance = `test-${randomBytes(6).toString("hex")}`;
  const registrationToken = randomBytes(24).toString("base64url");
  const ends: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0)) await end();
  };
  try {
    const postgres = await databaseRoom(own);
    if ("unavailable" in postgres) return postgres;
    ends.push(...postgres.ends);
    const rooms: Room[] = [postgres];
    for (const open of set === "all" ? [rabbitRoom, redisRoom, openFgaRoom, kratosRoom] : [postgresAloneRoom, kratosRoom]) {
      const room = await open(own);
      if ("unavailable" in room) {
        await stop();
        return room;
      }
      ends.push(...room.ends);
      rooms.push(room);
    }
    const environment = {
      ...platformEnvironment(instance, registrationToken),
      ...Object.assign({}, ...rooms.map((room) => room.environment)),
    } as Record<string, string>;
    const kratos = {
      publicUrl: environment["APPSERVER_KRATOS_PUBLIC_URL"] ?? "",
      adminUrl: environment["APPSERVER_KRATOS_ADMIN_URL"] ?? "",
    };
    const accounts = new KratosAccounts(kratos);
    const { database, connection } = postgres;
    return { instance, environment, registrationToken, database, connection, kratos, accounts, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The options that are not addresses, as an operator with one machine would set them. */
function platformEnvironment(instance: string, registrationToken: string): Record<string, string> {
  return {
    APPSERVER_INSTANCE: instance,
    APPSERVER_BIND_ADDRESS: "127.0.0.1",
    APPSERVER_WORKERS: "1",
    APPSERVER_REGISTRATION_TOKEN: registrationToken,
    APPSERVER_SETTINGS_ENCRYPTION_KEY: randomBytes(32).toString("hex"),
    APPSERVER_OPENFGA_STORE_NAME: instance,
    // Upstreams of tests, and the containers' published ports.
    APPSERVER_UPSTREAM_ALLOW_LOOPBACK: "true",
  };
}

async function databaseRoom({
  postgres,
}: OwnServers): Promise<(Room & Pick<ProductionServices, "database" | "connection">) | Unavailable> {
  const server = postgres ? { ...postgres.connection, stop: async () => {} } : await ensurePostgres();
  if ("unavailable" in server) return server;
  const room = await createTestDatabase({ connection: server });
  const { host, port, user, password, database } = room.connection;
  return {
    database: room.database,
    connection: room.connection,
    environment: {
      APPSERVER_DB_HOST: host,
      APPSERVER_DB_PORT: String(port),
      APPSERVER_DB_USER: user,
      APPSERVER_DB_PASSWORD: password,
      APPSERVER_DB_NAME: database,
    },
    ends: [room.stop, server.stop],
  };
}

async function postgresAloneRoom(): Promise<Room> {
  return {
    environment: {
      APPSERVER_AUTHORIZATION_DRIVER: "embedded",
      APPSERVER_BROKER_DRIVER: "postgres",
      APPSERVER_CACHE_DRIVER: "postgres",
      // Limits are exact while the database responds in time. The longer timeout keeps a busy machine from changing the result.
      APPSERVER_CACHE_POSTGRES_TIMEOUT: "5s",
    },
    ends: [],
  };
}

async function rabbitRoom({ rabbitmq }: OwnServers): Promise<Room | Unavailable> {
  const environment = (url: string) => ({ APPSERVER_RABBITMQ_ENABLED: "true", APPSERVER_RABBITMQ_URL: url });
  if (rabbitmq) return { environment: environment(rabbitmq.url), ends: [] };
  const server = await ensureRabbitMq();
  if ("unavailable" in server) return server;
  const host = await server.createVirtualHost();
  return { environment: environment(host.url), ends: [host.drop, server.stop] };
}

async function redisRoom({ redis }: OwnServers): Promise<Room | Unavailable> {
  if (redis) return { environment: { APPSERVER_REDIS_URL: redis.url }, ends: [] };
  const server = await ensureRedis();
  return "unavailable" in server ? server : { environment: { APPSERVER_REDIS_URL: server.url }, ends: [server.stop] };
}

async function openFgaRoom({ openfga }: OwnServers): Promise<Room | Unavailable> {
  const server = openfga ? { ...openfga, stop: async () => {} } : await ensureOpenFga();
  if ("unavailable" in server) return server;
  const token = server.token === undefined ? {} : { APPSERVER_OPENFGA_API_TOKEN: server.token };
  return { environment: { APPSERVER_OPENFGA_API_URL: server.url, ...token }, ends: [server.stop] };
}

async function kratosRoom({ kratos }: OwnServers): Promise<Room | Unavailable> {
  const server = kratos ? { ...kratos, stop: async () => {} } : await ensureKratos();
  if ("unavailable" in server) return server;
  return {
    environment: { APPSERVER_KRATOS_PUBLIC_URL: server.publicUrl, APPSERVER_KRATOS_ADMIN_URL: server.adminUrl },
    ends: [server.stop],
  };
}
