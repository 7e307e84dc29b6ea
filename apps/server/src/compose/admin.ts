import {
  AnnouncedAuthorization,
  createPersonCommands,
  type PreviewedGroup,
  previewIdentityGroups,
  writeTuples,
} from "@appserver/access";
import { authorizationModel, initialTuples } from "@appserver/contracts/authorization";
import type { PostgresDatabase } from "@appserver/database-postgres";
import type { Accounts, AuthorizationService, BootstrapResult, Identity, InvitationLink } from "@appserver/driver";
import {
  AppError,
  AuthorizationHome,
  advisoryLocks,
  DatabaseHome,
  isAppError,
  Lifecycle,
  type Logger,
  SqlLeases,
  SqlOutbox,
  SystemClock,
  uuidv7,
} from "@appserver/kernel";
import type { Database, Tuple } from "@appserver/kernel/ports";
import { type RepairedGrants, repairAppGrants } from "@appserver/marketplace";
import { SqlAuditLog } from "@appserver/records";
import { openDriver } from "../config/drivers/driver-catalogue.ts";
import type { ServeConfig } from "../config/serve-config.ts";
import { openDatabase } from "./drivers.ts";
import { makeAdministrator } from "./first-administrator.ts";
import { secretSeal } from "./secret-seal.ts";
import { serverMigrations } from "./server-migrations.ts";

/** Context of operator commands, which run while servers run. Each command opens only the drivers that it needs. */
export interface AdminContext {
  readonly config: ServeConfig;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

const bootstrapPatienceMs = 120_000;
const retryMs = 1_000;

/** Waits for the database and applies the missing migrations. Returns their names. */
export function migrateDatabase(context: AdminContext): Promise<readonly string[]> {
  return withDatabase(context, (database) => database.migrateWhenReachable(serverMigrations(context.config), context.signal));
}

/**
 * Creates the authorization store, its model and the first tuples (docs/interface/permissions.md#roles). A second run changes
 * nothing. Waits at most two minutes for services that are just starting.
 */
export function bootstrapAuthorization(context: AdminContext): Promise<BootstrapResult> {
  const clock = new SystemClock();
  const deadline = clock.monotonic() + bootstrapPatienceMs;
  return withDatabase(context, async (database, lifecycle) => {
    const { driver } = context.config.drivers.authorization;
    await database.migrateWhenReachable(serverMigrations(context.config), context.signal);
    const home = new AuthorizationHome(database);
    await home.require(driver.name);
    const authorization = await openAuthorization(context, database);
    await lifecycle.use({ name: "authorization", stop: () => authorization.stop?.() });
    for (;;) {
      try {
        const result = await bootstrapOnce(database, authorization);
        await home.claim(driver.name);
        return result;
      } catch (error) {
        if (!isAppError(error, "SERVICE_UNAVAILABLE") || clock.monotonic() > deadline) throw error;
        context.logger.warn({ err: error }, "authorization: the service is unreachable; retrying");
        await clock.sleep(retryMs, context.signal);
      }
    }
  });
}

/** Two simultaneous bootstraps would create two stores with the same name. */
export function bootstrapOnce(database: PostgresDatabase, authorization: AuthorizationService): Promise<BootstrapResult> {
  return database.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock($1)", [advisoryLocks.authorizationBootstrap]);
    const report = await authorization.bootstrap({ model: authorizationModel, createStore: true });
    await authorization.write({ writes: initialTuples });
    return report;
  });
}

/**
 * Writes or removes tuples, with an audit entry for each. Notifies every running server, so caches are invalidated within a
 * second.
 */
export function changeTuples(
  context: AdminContext,
  change: { readonly writes?: readonly Tuple[]; readonly deletes?: readonly Tuple[] },
): Promise<void> {
  return withAuthorization(context, (authorization, database) => {
    const audit = new SqlAuditLog({ database, clock: new SystemClock() });
    return writeTuples({ authorization, audit, database }, change, { actor: "operator" });
  });
}

/** Returns whether the tuple holds, directly or through other tuples. */
export function checkTuple(context: AdminContext, tuple: Tuple): Promise<boolean> {
  return withAuthorization(context, (authorization) => authorization.check(tuple));
}

/** Returns what the configured `identity.groups` would change for a person. */
export function previewGroups(context: AdminContext, userId: string): Promise<readonly PreviewedGroup[]> {
  return withAuthorization(context, (authorization, database) =>
    previewIdentityGroups({ authorization, database }, context.config.identity.groups, userId),
  );
}

/** Writes the grants of installed apps that the store lacks, for example after a restore. Returns what was written, by app. */
export function repairAuthorization(context: AdminContext): Promise<readonly RepairedGrants[]> {
  return withAuthorization(context, (authorization, database) => {
    const clock = new SystemClock();
    return repairAppGrants({
      authorization,
      database,
      clock,
      outbox: new SqlOutbox(),
      audit: new SqlAuditLog({ database, clock }),
      leases: new SqlLeases({ database, holder: `operator:${uuidv7()}` }),
      logger: context.logger,
      actor: "operator",
    });
  });
}

/** Returns the id of the only identity with this login address. Throws NOT_FOUND, or SERVICE_UNAVAILABLE without its provider. */
export async function findIdentity(context: AdminContext, address: string): Promise<string> {
  return await withDatabase(context, async (database) => {
    const { idOf } = await openIdentity(context, database);
    return await idOf(address);
  });
}

export interface Invited {
  /** Undefined: the person chooses it. */
  readonly email?: string;
  readonly name?: string;
  /** Whether the account has the role of administrators. */
  readonly admin?: boolean;
}

const invitationMs = 7 * 24 * 3_600_000;
const administratorInvitationMs = 3_600_000;

/** Makes an account and returns the link that completes it. Throws INVALID_STATE if the identity provider has accounts of its own. */
export async function invite(context: AdminContext, { admin = false, ...invited }: Invited): Promise<InvitationLink> {
  return await withAuthorization(context, async (authorization, database) => {
    const accounts = ownAccounts(context, await openIdentity(context, database));
    const validMs = admin ? administratorInvitationMs : invitationMs;
    const link = await accounts.invite({ ...invited, invitedBy: "operator", validMs });
    const audit = new SqlAuditLog({ database, clock: new SystemClock() });
    if (admin) await makeAdministrator({ authorization, audit, database }, link.userId);
    return link;
  });
}

/** Disables or enables an account. Throws INVALID_STATE for the last administrator who can sign in. */
export async function setAccountActive(context: AdminContext, identity: string, isActive: boolean): Promise<string> {
  return await withAccount(context, identity, async (commands, userId) => {
    await commands.setActive(userId, isActive, operator);
    return userId;
  });
}

/** Deletes an account, and all that the person was given. Throws INVALID_STATE for the last administrator who can sign in. */
export async function removeAccount(context: AdminContext, identity: string): Promise<string> {
  return await withAccount(context, identity, async (commands, userId) => {
    await commands.remove(userId, operator);
    return userId;
  });
}

/** Returns what is stored of a person: the account, what the person was given, and what the audit log has of them. */
export async function exportPerson(context: AdminContext, identity: string): Promise<object> {
  return await withAccount(context, identity, (commands, userId) => commands.export(userId, operator));
}

const operator = { actor: "operator" };

/** Opens what the commands about one account need. Throws INVALID_STATE if the identity provider has accounts of its own. */
async function withAccount<T>(
  context: AdminContext,
  identity: string,
  work: (commands: ReturnType<typeof createPersonCommands>, userId: string) => Promise<T>,
): Promise<T> {
  return await withAuthorization(context, async (authorization, database) => {
    const opened = await openIdentity(context, database);
    const people = ownAccounts(context, opened);
    const audit = new SqlAuditLog({ database, clock: new SystemClock() });
    const commands = createPersonCommands({ people, authorization, audit, database, identity: opened.provider });
    return await work(commands, identity.includes("@") ? await opened.idOf(identity) : identity);
  });
}

function ownAccounts({ config }: AdminContext, { accounts }: Identity): Accounts {
  if (accounts) return accounts;
  const { choice } = config.drivers.identity;
  throw new AppError("INVALID_STATE", `identity.driver is ${choice}, which makes its accounts itself; expected accounts`);
}

function openIdentity({ config, logger }: AdminContext, database: PostgresDatabase): Promise<Identity> {
  return openDriver(config.drivers.identity, {
    ownUrl: config.server.publicUrl,
    platformName: config.branding.name,
    sessionCookieName: config.auth.sessionCookieName,
    database: async () => database,
    seal: secretSeal({ load: async () => config.settingsEncryption.encryptionKeys }, new SystemClock()),
    clock: new SystemClock(),
    logger,
  });
}

function withAuthorization<T>(
  context: AdminContext,
  work: (authorization: AnnouncedAuthorization, database: PostgresDatabase) => Promise<T>,
): Promise<T> {
  return withDatabase(context, async (database, lifecycle) => {
    const { name } = context.config.drivers.authorization.driver;
    await new DatabaseHome(database).require();
    const home = new AuthorizationHome(database);
    await home.require(name);
    const authorization = await lifecycle.use(await openAuthorization(context, database));
    const announced = new AnnouncedAuthorization({
      authorization: home.guard(authorization, name),
      database,
      outbox: new SqlOutbox(),
      clock: new SystemClock(),
      source: `/appserver/${context.config.server.instance}`,
    });
    return await work(announced, database);
  });
}

export function openAuthorization({ config, logger }: AdminContext, database: Database): Promise<AuthorizationService> {
  return openDriver(config.drivers.authorization, { database, clock: new SystemClock(), logger });
}

export async function withDatabase<T>(
  context: AdminContext,
  work: (database: PostgresDatabase, lifecycle: Lifecycle) => Promise<T>,
): Promise<T> {
  const lifecycle = new Lifecycle({ onError: () => {} });
  const database = await lifecycle.use(openDatabase(context.config.database, new SystemClock(), context.logger));
  try {
    return await work(database, lifecycle);
  } finally {
    await lifecycle.stop();
  }
}
