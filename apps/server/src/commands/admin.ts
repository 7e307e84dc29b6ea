import { ConfigError } from "@appserver/configuration";
import type { Tuple } from "@appserver/kernel/ports";
import pino from "pino";
import { readServeConfig } from "../config/serve-config.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Flags = Readonly<Record<string, unknown>>;
type Write = (text: string) => void;

const authzUsage = `Usage: appserver authz <command>

  bootstrap                          make the store, its model and the first tuples; safe to repeat
  grant <user> <relation> <object>   write a tuple:  authz grant user:alice viewer app:com.example.notes
  revoke <user> <relation> <object>  remove a tuple
  check <user> <relation> <object>   whether it holds: exit code 0 or 1
`;

/** `appserver migrate` */
export async function migrate(flags: Flags, environment: Environment, write: Write): Promise<number> {
  const { migrateDatabase } = await import("../compose-admin.ts");
  const applied = await migrateDatabase(contextOf(flags, environment));
  write(applied.length === 0 ? "Nothing to migrate.\n" : `${applied.map((name) => `applied ${name}\n`).join("")}`);
  return 0;
}

/** `appserver authz …`: permissions as an operator sets them. Answers the exit code. */
export async function authz(args: readonly string[], flags: Flags, environment: Environment, write: Write): Promise<number> {
  const [command, ...rest] = args;
  if (command === "bootstrap") return await bootstrap(flags, environment, write);
  const tuple = command === undefined ? undefined : tupleOf(rest);
  if (!tuple || !["grant", "revoke", "check"].includes(command ?? "")) throw new ConfigError(authzUsage);
  const { changeTuples, checkTuple } = await import("../compose-admin.ts");
  const context = contextOf(flags, environment);
  if (command === "check") {
    const holds = await checkTuple(context, tuple);
    write(holds ? "yes\n" : "no\n");
    return holds ? 0 : 1;
  }
  await changeTuples(context, command === "grant" ? { writes: [tuple] } : { deletes: [tuple] });
  write(`${command === "grant" ? "granted" : "revoked"} ${tuple.user} ${tuple.relation} ${tuple.object}\n`);
  return 0;
}

async function bootstrap(flags: Flags, environment: Environment, write: Write): Promise<number> {
  const { bootstrapAuthorization } = await import("../compose-admin.ts");
  const { storeId, modelId, storeCreated, modelWritten } = await bootstrapAuthorization(contextOf(flags, environment));
  write(`OPENFGA_STORE_ID=${storeId}${storeCreated ? "  # created" : ""}\n`);
  write(`OPENFGA_MODEL_ID=${modelId}${modelWritten ? "  # written" : ""}\n`);
  return 0;
}

function tupleOf([user, relation, object, ...more]: readonly string[]): Tuple | undefined {
  if (user === undefined || relation === undefined || object === undefined || more.length > 0) return undefined;
  return { user, relation, object };
}

function contextOf(flags: Flags, environment: Environment) {
  const config = readServeConfig(flags, environment);
  const logger = pino({ level: config.telemetry.logLevel }, pino.destination(2));
  return { config, logger, signal: AbortSignal.timeout(300_000) };
}
