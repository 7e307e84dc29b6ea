import { administratorRole, isPlatformPermission, permissionOf, type Tuple } from "@appserver/contracts/authorization";
import { isAppName } from "@appserver/contracts/names";
import {
  AppError,
  type AuditOrigin,
  auditEntry,
  type Call,
  type Clock,
  currentKeyedWork,
  earlierReceipt,
  isAppError,
  type Permissions,
  recordKeyedWork,
  requirePermission,
  userAuditEntry,
} from "@appserver/kernel";
import type { RefusedChanges } from "../domain/refused-changes.ts";
import type { AuditLog, Authorization, Database } from "../ports.ts";

export interface WriteContext {
  readonly authorization: Pick<Authorization, "write">;
  readonly audit: Pick<AuditLog, "record">;
  readonly database: Pick<Database, "transaction">;
}

export interface ChangeContext extends WriteContext {
  readonly authorization: Pick<Authorization, "write" | "read">;
  readonly permissions: Permissions;
  readonly clock: Pick<Clock, "now">;
  readonly refused: RefusedChanges;
}

/** Writes or removes tuples, with an audit entry for each. Every replica denies what was removed within a second. */
export async function writeTuples(
  { authorization, audit, database }: WriteContext,
  change: { readonly writes?: readonly Tuple[]; readonly deletes?: readonly Tuple[] },
  origin: AuditOrigin,
): Promise<void> {
  const { writes = [], deletes = [] } = change;
  await database.transaction(async (tx) => {
    await recordKeyedWork(tx, { tuples: writes.length + deletes.length });
    for (const { user, relation, object } of writes)
      await audit.record(tx, auditEntry(origin, { action: "permission.grant", target: object, details: { user, relation } }));
    for (const { user, relation, object } of deletes)
      await audit.record(tx, auditEntry(origin, { action: "permission.revoke", target: object, details: { user, relation } }));
    await authorization.write(change);
  });
}

/** Gives a role, a level of an app, or a permission. Needs `access:manage`. Throws INVALID_REQUEST for any other tuple. */
export async function grantAccess(context: ChangeContext, tuple: Tuple, call: Call): Promise<Tuple> {
  await requireManager(context, "permission.grant", tuple, call);
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
  await requireManager(context, "permission.revoke", tuple, call);
  requireGrantable(tuple);
  if (earlierReceipt()) return tuple;
  const alike = await context.authorization.read({ relation: tuple.relation, object: tuple.object });
  // An interrupted request with the same key may have taken it already, without its audit entry.
  const isTaken = !alike.some(({ user }) => user === tuple.user);
  if (isTaken && !currentKeyedWork()?.isRepeated)
    throw new AppError("NOT_FOUND", `${tuple.user} is not ${tuple.relation} of ${tuple.object} directly`);
  if (!isTaken && tuple.object === administratorRole && alike.length === 1)
    throw new AppError(
      "INVALID_STATE",
      `${tuple.user} is the last administrator: give another user ${administratorRole} first`,
    );
  await writeTuples(context, { deletes: [tuple] }, call);
  return tuple;
}

/** Throws PERMISSION_DENIED without `access:manage`, and records what a user tried. */
async function requireManager(context: ChangeContext, action: string, tuple: Tuple, call: Call): Promise<void> {
  try {
    await requirePermission(context.permissions, call, "access:manage");
  } catch (error) {
    if (isAppError(error, "PERMISSION_DENIED")) await recordRefused(context, action, tuple, call);
    throw error;
  }
}

async function recordRefused(
  { audit, database, refused, clock }: ChangeContext,
  action: string,
  { user, relation, object: target }: Tuple,
  call: Call,
): Promise<void> {
  // The texts are not checked yet.
  const details = { user: user.slice(0, maxText), relation: relation.slice(0, maxText) };
  const entry = userAuditEntry(call, { action, target: target.slice(0, maxText), details, outcome: "denied" });
  if (entry && refused.admits(entry.actor, clock.now())) await database.transaction((tx) => audit.record(tx, entry));
}

const maxText = 256;

const name = "[A-Za-z0-9._@+|-]{1,128}";
const users = new RegExp(`^(user:${name}|app:${name}|role:${name}#assignee)$`);
const roles = new RegExp(`^role:${name}$`);
const appRelations: ReadonlySet<string> = new Set(["owner", "editor", "viewer"]);

/** The other relations of the model belong to installations and to the set-up of the platform. */
function requireGrantable({ user, relation, object }: Tuple): void {
  const violations: { field: string; message: string }[] = [];
  if (!users.test(user) && !(user === "user:*" && relation === "viewer"))
    violations.push({
      field: "user",
      message: "must be user:<id>, app:<name>, role:<name>#assignee, or user:* for viewers of an app",
    });
  if (!isGrantable(relation, object))
    violations.push({
      field: "relation",
      message: "must be assignee of role:<name>, owner, editor or viewer of app:<name>, or holder of a permission's object",
    });
  if (user === `${object}#assignee`) violations.push({ field: "user", message: "must not be the role itself" });
  if (user.startsWith("app:") && object.startsWith("app:") && relation !== "viewer")
    violations.push({ field: "user", message: "must not be an app, which can only view another app" });
  if (violations.length === 0) return;
  const [first] = violations;
  throw new AppError("INVALID_REQUEST", `${first?.field} ${first?.message}`, { details: { violations } });
}

function isGrantable(relation: string, object: string): boolean {
  if (relation === "assignee") return roles.test(object);
  if (appRelations.has(relation)) return object.startsWith("app:") && isAppName(object.slice("app:".length));
  const scope = relation === "holder" ? permissionOf(object) : undefined;
  return scope !== undefined && (scope.appName !== undefined || isPlatformPermission(scope.permission));
}
