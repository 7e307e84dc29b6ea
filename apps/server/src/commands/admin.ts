import { administratorRole } from "@appserver/contracts/authorization";
import type { Tuple } from "@appserver/kernel/ports";
import type { AdminContext } from "../compose/admin.ts";
import { loadServeConfig } from "../config/load-config.ts";
import { openLog } from "../log/open-log.ts";
import { usageOf } from "../usage.ts";
import { refuseWords, UsageError } from "../usage-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type Flags = Readonly<Record<string, unknown>>;
type Write = (text: string) => void;

/** `appserver migrate` */
export async function migrate(flags: Flags, environment: Environment, write: Write): Promise<number> {
  const { migrateDatabase } = await import("../compose/admin.ts");
  const applied = await migrateDatabase(await contextOf(flags, environment));
  write(applied.length === 0 ? "Nothing to migrate.\n" : `${applied.map((name) => `applied ${name}\n`).join("")}`);
  return 0;
}

/** The commands of `appserver authz` and the words that each takes. */
const authzCommands: ReadonlyMap<string, readonly string[]> = new Map([
  ["bootstrap", []],
  ["move", []],
  ["repair", []],
  ["admin", ["<identity>"]],
  ["groups", ["preview", "<identity>"]],
  ["grant", ["<user>", "<relation>", "<object>"]],
  ["revoke", ["<user>", "<relation>", "<object>"]],
  ["check", ["<user>", "<relation>", "<object>"]],
]);

/**
 * Runs `appserver authz …`, which changes permissions as an operator. `to`: the flag of `move`. Returns the exit code. Throws UsageError for other words than
 * the command takes.
 */
export async function authz(
  args: readonly string[],
  to: string | undefined,
  flags: Flags,
  environment: Environment,
  write: Write,
): Promise<number> {
  const [command = "", ...words] = args;
  requireAuthzForm(command, words);
  if ((command === "move") !== (to !== undefined)) throw new UsageError(usageOf("authz") ?? "");
  if (to !== undefined) return await move(to, flags, environment, write);
  if (command === "bootstrap") return await bootstrap(flags, environment, write);
  if (command === "repair") return await repair(flags, environment, write);
  const [given = "", relation = "", object = ""] = words;
  if (command === "groups") return await preview(words, flags, environment, write);
  if (command === "admin") return await makeAdministrator(given, flags, environment, write);
  const { changeTuples, checkTuple } = await import("../compose/admin.ts");
  const context = await contextOf(flags, environment);
  const user = await withoutAddress(context, given);
  const tuple: Tuple = { user, relation, object };
  if (command === "check") {
    const holds = await checkTuple(context, tuple);
    write(holds ? "yes\n" : "no\n");
    return holds ? 0 : 1;
  }
  await changeTuples(context, command === "grant" ? { writes: [tuple] } : { deletes: [tuple] });
  write(`${command === "grant" ? "granted" : "revoked"} ${user} ${relation} ${object}\n`);
  return 0;
}

/** Returns the user of a tuple with the id of the identity in place of its e-mail address. */
async function withoutAddress(context: AdminContext, user: string): Promise<string> {
  const address = /^user:(.*@.*)$/.exec(user)?.[1];
  if (address === undefined) return user;
  const { findIdentity } = await import("../compose/admin.ts");
  return `user:${await findIdentity(context, address)}`;
}

function requireAuthzForm(command: string, words: readonly string[]): void {
  const usage = usageOf("authz") ?? "";
  const expected = authzCommands.get(command);
  if (!expected)
    throw new UsageError(command === "" ? usage : `${JSON.stringify(command)} is not a command of authz.\n\n${usage}`);
  refuseWords(words.slice(expected.length), ["appserver authz", command, ...expected].join(" "));
  if (words.length < expected.length) throw new UsageError(usage);
}

async function bootstrap(flags: Flags, environment: Environment, write: Write): Promise<number> {
  const { bootstrapAuthorization } = await import("../compose/admin.ts");
  const { storeId, modelId, storeCreated, modelWritten } = await bootstrapAuthorization(await contextOf(flags, environment));
  if (storeId === undefined) {
    write(`model ${modelId}${modelWritten ? "  # written" : ""}\n`);
    return 0;
  }
  write(`OPENFGA_STORE_ID=${storeId}${storeCreated ? "  # created" : ""}\n`);
  write(`OPENFGA_MODEL_ID=${modelId}${modelWritten ? "  # written" : ""}\n`);
  return 0;
}

/** Both configurations have the same options. `--to` takes the place of the driver. */
async function move(to: string, flags: Flags, environment: Environment, write: Write): Promise<number> {
  const { moveAuthorization } = await import("../compose/move-authorization.ts");
  const target = await loadServeConfig(flags, { ...environment, APPSERVER_AUTHORIZATION_DRIVER: to });
  const moved = await moveAuthorization(await contextOf(flags, environment), target);
  if (moved) {
    const removed = moved.removed === 0 ? "" : `, and removed ${moved.removed} that only ${to} had`;
    write(`copied ${moved.tuples} tuples from ${moved.from} to ${to}${removed}\n`);
  } else write(`the permissions are in ${to} already\n`);
  write(
    `Set authorization.driver to ${to} (APPSERVER_AUTHORIZATION_DRIVER=${to}) for every server and command, and restart the servers.\n`,
  );
  write("Until a server has restarted it checks permissions as they were, and no server accepts changes of permissions.\n");
  return 0;
}

async function repair(flags: Flags, environment: Environment, write: Write): Promise<number> {
  const { repairAuthorization } = await import("../compose/admin.ts");
  const repaired = await repairAuthorization(await contextOf(flags, environment));
  for (const { appName, tuples } of repaired) for (const tuple of tuples) write(`${appName}: written ${tuple}\n`);
  if (repaired.length === 0) write("Nothing is missing.\n");
  return 0;
}

/** Gives the user the administrator role that the initial tuples define. */
async function makeAdministrator(identity: string, flags: Flags, environment: Environment, write: Write): Promise<number> {
  const context = await contextOf(flags, environment);
  const { changeTuples, findIdentity } = await import("../compose/admin.ts");
  const userId = identity.includes("@") ? await findIdentity(context, identity) : identity;
  await changeTuples(context, { writes: [{ user: `user:${userId}`, relation: "assignee", object: administratorRole }] });
  write(
    `${identity === userId ? identity : `${identity} (${userId})`} is an administrator: assignee of ${administratorRole}\n`,
  );
  return 0;
}

/** Shows what `identity.groups` of this configuration would change for a person. */
async function preview([what, identity = ""]: readonly string[], flags: Flags, environment: Environment, write: Write) {
  if (what !== "preview") throw new UsageError(usageOf("authz") ?? "");
  const context = await contextOf(flags, environment);
  const { findIdentity, previewGroups } = await import("../compose/admin.ts");
  const userId = identity.includes("@") ? await findIdentity(context, identity) : identity;
  const groups = await previewGroups(context, userId);
  if (groups.length === 0) write(`${identity} is in no group: groups are read when a person signs in.\n`);
  const signs = { begins: "+", ends: "-", stays: " " } as const;
  for (const { name, told, grants } of groups) {
    write(
      `${name} (${told.map(({ source, readAt }) => `${source}, ${readAt.toISOString()}`).join("; ") || "not told any more"})\n`,
    );
    for (const { change, relation, object } of grants) write(`  ${signs[change]} ${relation} of ${object}\n`);
    if (grants.length === 0) write("    is given nothing\n");
  }
  return 0;
}

async function contextOf(flags: Flags, environment: Environment) {
  const config = await loadServeConfig(flags, environment);
  const logger = openLog({ service: "appserver", level: config.telemetry.logLevel, output: "standard error" });
  return { config, logger, signal: AbortSignal.timeout(300_000) };
}
