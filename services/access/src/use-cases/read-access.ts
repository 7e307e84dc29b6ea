import {
  administratorRole,
  groupName,
  isPermission,
  permissionForm,
  platformPermissions,
  readableSubject,
  subjectForm,
  usersetOf,
} from "@appserver/contracts/authorization";
import { isAppName } from "@appserver/contracts/names";
import {
  AppError,
  type Call,
  hasAccount,
  invalidField,
  type Logger,
  type Permissions,
  requirePermission,
  subjectOf,
} from "@appserver/kernel";
import type { Authorization, GroupReadings, IdentityProvider, MappedGrants, ServiceAccounts, SqlExecutor } from "../ports.ts";
import { explainPermission, explainSubject, type HeldPermission } from "./explain-access.ts";
import { isHeldByMachine } from "./held-by-machine.ts";
import { type SourcedTuple, withSources } from "./tuple-sources.ts";

export interface ReadContext {
  readonly authorization: Pick<Authorization, "read">;
  readonly identity: Pick<IdentityProvider, "find">;
  readonly readings: Pick<GroupReadings, "of">;
  readonly mapped: Pick<MappedGrants, "all">;
  readonly accounts: Pick<ServiceAccounts, "names">;
  readonly database: SqlExecutor;
  readonly permissions: Permissions;
  readonly logger: Logger;
}

/** Who may have access: a user, an app, the assignees of a role, or everyone. */
export interface Subject {
  /** `user:alice`, `user:*`, `app:com.example.notes`, `role:easy#assignee` */
  readonly id: string;
  /** Name of the person or the service account. Undefined for others, and if the identity provider does not tell. */
  readonly displayName: string | undefined;
}

export interface PermissionHolder {
  readonly subject: Subject;
  readonly via: readonly SourcedTuple[];
}

/** A group of the identity provider. */
export interface Group {
  /** `group:finance#member` */
  readonly id: string;
  readonly name: string;
  readonly members: readonly Subject[];
}

export interface Role {
  /** `role:easy` */
  readonly id: string;
  readonly isAdministrator: boolean;
  readonly assignees: readonly Subject[];
}

export interface SourcedPermission extends HeldPermission {
  readonly via: readonly SourcedTuple[];
}

/** Returns who holds a permission of the platform or of an app, and why. Needs `access:view`. */
export async function readHolders(
  context: ReadContext,
  { permission, appName }: { readonly permission: string; readonly appName: string | undefined },
  call: Call,
): Promise<readonly PermissionHolder[]> {
  await requirePermission(context.permissions, call, "access:view");
  if (!isPermission(permission)) throw invalidField("permission", `must be ${permissionForm}`);
  if (appName !== undefined && !isAppName(appName)) throw invalidField("appName", "must be the name of an app");
  if (appName === undefined && !Object.hasOwn(platformPermissions, permission))
    throw new AppError("NOT_FOUND", `the platform has no permission ${permission}; name the app that owns it`);
  const explained = await explainPermission(context.authorization, permission, appName);
  const holders = explained.filter(({ subject, via }) => counts(subject, { permission, appName, via }));
  const subjects = await named(
    context,
    holders.map(({ subject }) => subject),
  );
  const sourced = await withSources(context, holders);
  return sourced.map(({ via }, index) => ({ subject: subjects[index] as Subject, via }));
}

function counts(subject: string, held: Pick<HeldPermission, "permission" | "appName" | "via">): boolean {
  return !subject.startsWith("machine:") || isHeldByMachine(held);
}

const readable = new RegExp(`^${readableSubject}$`);

/**
 * Returns what a user, an app, a group or a role holds, and why. Needs `access:view`; users and service
 * accounts need nothing for their own permissions.
 */
export async function readHeld(context: ReadContext, subject: string, call: Call): Promise<readonly SourcedPermission[]> {
  const own = hasAccount(call.caller) && subject === subjectOf(call.caller);
  if (!own) await requirePermission(context.permissions, call, "access:view");
  if (!readable.test(subject)) throw invalidField("subject", `must be ${subjectForm}`);
  const explained = await explainSubject(context.authorization, subject);
  return await withSources(
    context,
    explained.filter((held) => counts(subject, held)),
  );
}

/** Returns the groups that sources have told or that have been given something, each with its members by name. Needs `access:view`. */
export async function readGroups(context: ReadContext, call: Call): Promise<readonly Group[]> {
  await requirePermission(context.permissions, call, "access:view");
  const { authorization, mapped, database } = context;
  const tuples = await authorization.read({ relation: "member", object: "group:" });
  const subjects = await named(
    context,
    tuples.map(({ user }) => user),
  );
  const byGroup = Map.groupBy(
    tuples.map(({ object }, index) => ({ object, subject: subjects[index] as Subject })),
    ({ object }) => object,
  );
  const given = (await mapped.all(database)).flatMap(({ user }) => usersetOf(user)?.object ?? []);
  return [...new Set([...byGroup.keys(), ...given])].sort().map((object) => ({
    id: `${object}#member`,
    name: groupName(object) ?? object,
    members: (byGroup.get(object) ?? []).map(({ subject }) => subject),
  }));
}

/** Returns every role with those who have it directly, by name. Needs `access:view`. */
export async function readRoles(context: ReadContext, call: Call): Promise<readonly Role[]> {
  await requirePermission(context.permissions, call, "access:view");
  const tuples = await context.authorization.read({ relation: "assignee", object: "role:" });
  const subjects = await named(
    context,
    tuples.map(({ user }) => user),
  );
  const byRole = Map.groupBy(
    tuples.map(({ object }, index) => ({ object, subject: subjects[index] as Subject })),
    ({ object }) => object,
  );
  const ids = [...new Set([administratorRole, ...byRole.keys()])].sort();
  return ids.map((id) => ({
    id,
    isAdministrator: id === administratorRole,
    assignees: (byRole.get(id) ?? []).map(({ subject }) => subject),
  }));
}

/** Returns those who have a level of an app directly. Needs `access:view`. */
export async function readMembers(
  context: ReadContext,
  appName: string,
  call: Call,
): Promise<readonly { readonly relation: string; readonly subject: Subject }[]> {
  await requirePermission(context.permissions, call, "access:view");
  if (!isAppName(appName)) throw invalidField("appName", "must be the name of an app");
  const tuples = await context.authorization.read({ object: `app:${appName}` });
  const subjects = await named(
    context,
    tuples.map(({ user }) => user),
  );
  return tuples.map(({ relation }, index) => ({ relation, subject: subjects[index] as Subject }));
}

const maxFound = 50;

/** Returns users by name whose sign-in address, id or name matches; without a search the first ones. Needs `access:view`. */
export async function searchPeople(
  context: ReadContext,
  { search = "", first }: { readonly search?: string | undefined; readonly first?: number | undefined },
  call: Call,
): Promise<readonly Subject[]> {
  await requirePermission(context.permissions, call, "access:view");
  const limit = first ?? 10;
  if (limit < 1 || limit > maxFound) throw invalidField("first", `must be 1 to ${maxFound}`);
  if (search.length > 256) throw invalidField("search", "must have at most 256 characters");
  const people = await context.identity.find({ search: search.trim(), limit });
  const found = people.map(({ userId, displayName }) => ({ id: `user:${userId}`, displayName }));
  return found.sort((a, b) => a.displayName.localeCompare(b.displayName));
}

const maxNamed = 100;

/**
 * Returns the subjects of `ids` with their names, in this order. Those without a name are returned, too. Needs `app:view`: those who see
 * what happened may see who did it.
 */
export async function readSubjects(context: ReadContext, ids: readonly string[], call: Call): Promise<readonly Subject[]> {
  await requirePermission(context.permissions, call, "app:view");
  if (ids.length > maxNamed) throw invalidField("ids", `must have at most ${maxNamed} entries`);
  return await named(context, ids);
}

/** Adds the names of people and service accounts. Without the identity provider they have none: the answer is right all the same. */
export async function named(
  context: Pick<ReadContext, "identity" | "accounts" | "database" | "logger">,
  subjects: readonly string[],
): Promise<readonly Subject[]> {
  const { identity, accounts, database, logger } = context;
  const ids = [...new Set(subjects.flatMap((subject) => /^user:([^*].*)$/.exec(subject)?.[1] ?? []))];
  const machines = [...new Set(subjects.flatMap((subject) => /^machine:(.+)$/.exec(subject)?.[1] ?? []))];
  const people =
    ids.length === 0
      ? []
      : await identity.find({ ids }).catch((error: unknown) => {
          logger.warn({ err: error }, "access: the names of people could not be read");
          return [];
        });
  const machineNames = machines.length === 0 ? [] : [...(await accounts.names(database, machines))];
  const names = new Map<string, string>([
    ...people.map(({ userId, displayName }) => [`user:${userId}`, displayName] as const),
    ...machineNames.map(([id, name]) => [`machine:${id}`, name] as const),
  ]);
  return subjects.map((id) => ({ id, displayName: names.get(id) }));
}
