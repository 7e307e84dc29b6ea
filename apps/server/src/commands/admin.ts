import { administratorRole } from "@appserver/contracts/authorization";
import type { Tuple } from "@appserver/kernel/ports";
import { ConfigError } from "@appserver/options";
import { readServeConfig } from "../config/serve-config.ts";
import { openLog } from "../log/open-log.ts";
import { usageOf } from "../usage.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Flags = Readonly<Record<string, unknown>>;
type Write = (text: string) => void;

/** `appserver migrate` */
export async function migrate(flags: Flags, environment: Environment, write: Write): Promise<number> {
  const { migrateDatabase } = await import("../compose/admin.ts");
  const applied = await migrateDatabase(contextOf(flags, environment));
  write(applied.length === 0 ? "Nothing to migrate.\n" : `${applied.map((name) => `applied ${name}\n`).join("")}`);
  return 0;
}

/** Runs `appserver authz …`, which changes permissions as an operator. Returns the exit code. */
export async function authz(args: readonly string[], flags: Flags, environment: Environment, write: Write): Promise<number> {
  const [command, ...rest] = args;
  if (command === "bootstrap") return await bootstrap(flags, environment, write);
  const [identity, ...more] = rest;
  if (command === "admin" && identity !== undefined && more.length === 0)
    return await makeAdministrator(identity, flags, environment, write);
  const tuple = command === undefined ? undefined : tupleOf(rest);
  if (!tuple || !["grant", "revoke", "check"].includes(command ?? "")) throw new ConfigError(usageOf("authz") ?? "");
  const { changeTuples, checkTuple } = await import("../compose/admin.ts");
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
  const { bootstrapAuthorization } = await import("../compose/admin.ts");
  const { storeId, modelId, storeCreated, modelWritten } = await bootstrapAuthorization(contextOf(flags, environment));
  write(`OPENFGA_STORE_ID=${storeId}${storeCreated ? "  # created" : ""}\n`);
  write(`OPENFGA_MODEL_ID=${modelId}${modelWritten ? "  # written" : ""}\n`);
  return 0;
}

/** Gives the user the administrator role that the initial tuples define. */
async function makeAdministrator(identity: string, flags: Flags, environment: Environment, write: Write): Promise<number> {
  const context = contextOf(flags, environment);
  const { changeTuples, findIdentity } = await import("../compose/admin.ts");
  const userId = identity.includes("@") ? await findIdentity(context, identity) : identity;
  await changeTuples(context, { writes: [{ user: `user:${userId}`, relation: "assignee", object: administratorRole }] });
  write(
    `${identity === userId ? identity : `${identity} (${userId})`} is an administrator: assignee of ${administratorRole}\n`,
  );
  return 0;
}

function tupleOf([user, relation, object, ...more]: readonly string[]): Tuple | undefined {
  if (user === undefined || relation === undefined || object === undefined || more.length > 0) return undefined;
  return { user, relation, object };
}

function contextOf(flags: Flags, environment: Environment) {
  const config = readServeConfig(flags, environment);
  const logger = openLog({ service: "appserver", level: config.telemetry.logLevel, output: "standard error" });
  return { config, logger, signal: AbortSignal.timeout(300_000) };
}
