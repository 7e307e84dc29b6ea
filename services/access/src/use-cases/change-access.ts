import {
  administratorRole,
  grantableSubject,
  isPlatformPermission,
  managePermission,
  permissionOf,
  scopeObject,
  subjectForm,
  type Tuple,
} from "@appserver/contracts/authorization";
import { isAppName } from "@appserver/contracts/names";
import {
  AppError,
  type AuditedAction,
  type AuditOrigin,
  auditEntry,
  type Call,
  type Clock,
  currentKeyedWork,
  earlierReceipt,
  type FieldViolation,
  isAppError,
  type Permissions,
  recordKeyedWork,
  requirePermission,
  userAuditEntry,
} from "@appserver/kernel";
import type { RefusedChanges } from "../domain/refused-changes.ts";
import type { AuditLog, Authorization, Database, IdentityProvider, MappedGrants, Transaction } from "../ports.ts";
import { administratorTuples, keepsAdministrator, lockAdministrators } from "./last-administrator.ts";
import { keyOf } from "./tuple-sources.ts";

export interface WriteContext {
  readonly authorization: Pick<Authorization, "write">;
  readonly audit: Pick<AuditLog, "record">;
  readonly database: Pick<Database, "transaction">;
}

export interface ChangeContext extends WriteContext {
  readonly authorization: Pick<Authorization, "write" | "read">;
  readonly identity: Pick<IdentityProvider, "find">;
  readonly mapped: Pick<MappedGrants, "all">;
  readonly permissions: Permissions;
  readonly clock: Pick<Clock, "now">;
  readonly refused: RefusedChanges;
}

export interface TupleChange {
  readonly writes?: readonly Tuple[];
  readonly deletes?: readonly Tuple[];
}

/** Who or what makes a change. The details of an actor are recorded with it. */
export type ChangeOrigin = AuditOrigin | { readonly actor: string; readonly details: Readonly<Record<string, string>> };

/** Writes or removes tuples, with an audit entry for each. Every replica denies what was removed within a second. */
export async function writeTuples(context: WriteContext, change: TupleChange, origin: ChangeOrigin): Promise<void> {
  await context.database.transaction((tx) => writeTuplesIn(tx, context, change, origin));
}

/** Does the same at the end of a transaction: a failure of the authorization service leaves nothing of it. */
export async function writeTuplesIn(
  tx: Transaction,
  { authorization, audit }: Omit<WriteContext, "database">,
  change: TupleChange,
  origin: ChangeOrigin,
): Promise<void> {
  const { writes = [], deletes = [] } = change;
  await recordKeyedWork(tx, { tuples: writes.length + deletes.length });
  const record = async (action: string, { user, relation, object: target }: Tuple): Promise<void> => {
    const details = { user, relation, ...("details" in origin && origin.details) };
    await audit.record(tx, auditEntry(origin, { action, target, details }));
  };
  for (const tuple of writes) await record("permission.grant", tuple);
  for (const tuple of deletes) await record("permission.revoke", tuple);
  await authorization.write(change);
}

/** Gives a role, a level of an app, or a permission. Needs `access:manage`. Throws INVALID_REQUEST for any other tuple. */
export async function grantAccess(context: ChangeContext, tuple: Tuple, call: Call): Promise<Tuple> {
  await requireManager(context, attemptOf("permission.grant", tuple), call);
  requireGrantable(tuple);
  if (earlierReceipt()) return tuple;
  await writeTuples(context, { writes: [tuple] }, call);
  return tuple;
}

/**
 * Takes what {@link grantAccess} or an operator gave. Needs `access:manage`. Throws NOT_FOUND if there is no such tuple, and
 * INVALID_STATE for the last administrator.
 */
export async function revokeAccess(context: ChangeContext, tuple: Tuple, call: Call): Promise<Tuple> {
  await requireManager(context, attemptOf("permission.revoke", tuple), call);
  requireGrantable(tuple);
  if (earlierReceipt()) return tuple;
  // An interrupted request with the same key may have taken it already, without its audit entry.
  if ((await context.authorization.read(tuple)).length === 0 && !currentKeyedWork()?.isRepeated)
    throw new AppError("NOT_FOUND", `${tuple.user} is not ${tuple.relation} of ${tuple.object} directly`);
  await context.database.transaction(async (tx) => {
    if ((await context.mapped.all(tx)).some((each) => keyOf(each) === keyOf(tuple)))
      throw new AppError("INVALID_STATE", "this grant is of the option identity.groups: change it there");
    await lockAdministrators(tx);
    if (!(await keepsAdministrator(context, await administratorTuples(context), [tuple]))) throw lastAdministrator(tuple);
    await writeTuplesIn(tx, context, { deletes: [tuple] }, call);
  });
  return tuple;
}

function lastAdministrator({ user, object }: Tuple): AppError {
  return new AppError(
    "INVALID_STATE",
    `without ${object} of ${user} there would be no administrator: give another person who can sign in ${administratorRole} first`,
  );
}

export type ManagerContext = Pick<ChangeContext, "audit" | "clock" | "database" | "permissions" | "refused">;

/** What a caller tries. Its texts need no check. */
export type Attempt = Pick<AuditedAction, "action" | "target"> & { readonly details: Readonly<Record<string, string>> };

/** Throws PERMISSION_DENIED without `access:manage`, and records what a user or a service account tried. */
export async function requireManager(context: ManagerContext, attempt: Attempt, call: Call): Promise<void> {
  try {
    await requirePermission(context.permissions, call, managePermission);
  } catch (error) {
    if (isAppError(error, "PERMISSION_DENIED")) await recordRefused(context, attempt, call);
    throw error;
  }
}

function attemptOf(action: string, { user, relation, object: target }: Tuple): Attempt {
  return { action, target, details: { user, relation } };
}

async function recordRefused(
  { audit, database, refused, clock }: ManagerContext,
  { action, target, details }: Attempt,
  call: Call,
): Promise<void> {
  const texts = Object.entries(details).map(([name, text]) => [name, text.slice(0, maxText)]);
  const cut = { target: target.slice(0, maxText), details: Object.fromEntries(texts) };
  const entry = userAuditEntry(call, { action, ...cut, outcome: "denied" });
  if (entry && refused.admits(entry.actor, clock.now())) await database.transaction((tx) => audit.record(tx, entry));
}

const maxText = 256;

const users = new RegExp(`^${grantableSubject}$`);
const roleSubject = /^role:[^#]+$/;
const appRelations: ReadonlySet<string> = new Set(["owner", "editor", "viewer"]);

/** The other relations of the model belong to installations and to the set-up of the platform. */
function requireGrantable(tuple: Tuple): void {
  const violations = grantViolations(tuple);
  const [first] = violations;
  if (first) throw new AppError("INVALID_REQUEST", `${first.field} ${first.message}`, { violations });
}

/** Returns why a tuple cannot be granted. Empty if it can. */
export function grantViolations({ user, relation, object }: Tuple): readonly FieldViolation[] {
  const violations: FieldViolation[] = [];
  if (!users.test(user) && !(user === "user:*" && relation === "viewer"))
    violations.push({
      field: "user",
      message: `must be ${subjectForm}, or user:* for viewers of an app`,
    });
  if (!isGrantable(relation, object))
    violations.push({
      field: "relation",
      message:
        "must be assignee of role:<name>, owner, editor or viewer of app:<name>, or holder of a permission: the object of app:view is permission_scope:view_app, that of notes:read of an app is permission_scope:<app>/read_notes",
    });
  if (user === `${object}#assignee`) violations.push({ field: "user", message: "must not be the role itself" });
  if (user.startsWith("app:") && object.startsWith("app:") && relation !== "viewer")
    violations.push({ field: "user", message: "must not be an app, which can only view another app" });
  if (user.startsWith("machine:") && object === scopeObject(managePermission))
    violations.push({ field: "user", message: `must not be a service account, which never holds ${managePermission}` });
  return violations;
}

/** Returns whether it is the object of a role that people can have. */
export function isRole(object: string): boolean {
  return roleSubject.test(object) && users.test(`${object}#assignee`);
}

function isGrantable(relation: string, object: string): boolean {
  if (relation === "assignee") return isRole(object);
  if (appRelations.has(relation)) return object.startsWith("app:") && isAppName(object.slice("app:".length));
  const scope = relation === "holder" ? permissionOf(object) : undefined;
  return scope !== undefined && (scope.appName !== undefined || isPlatformPermission(scope.permission));
}
