import { isPermission, scopeObject, type Tuple } from "@appserver/contracts/authorization";
import { isAppName } from "@appserver/contracts/names";
import { characterCount } from "@appserver/contracts/patterns";
import {
  AppError,
  actorOf,
  auditEntry,
  type Call,
  earlierReceipt,
  invalidField,
  lineProblem,
  recordKeyedWork,
  uuidv7,
} from "@appserver/kernel";
import type { AccessRequest, RequestableApp, Transaction } from "../../ports.ts";
import { announce, type RequestContext, type ShownRequest } from "./context.ts";

export interface AccessAsked {
  readonly appName: string;
  /** `viewer`, `editor`, `owner`, or a permission of the app. */
  readonly access: string;
  readonly reason?: string | undefined;
}

const levels: ReadonlySet<string> = new Set(["viewer", "editor", "owner"]);
const maxReason = 200;
const maxOpen = 20;
const dayMs = 86_400_000;

/**
 * Asks for a level or a permission of an app. Throws NOT_FOUND for an app that the caller may not know of or that lacks the permission,
 * INVALID_STATE for what the caller has or with too many open requests, and CONFLICT for the second request for the same within a day.
 */
export async function requestAccess(context: RequestContext, asked: AccessAsked, call: Call): Promise<ShownRequest> {
  const { caller } = call;
  if (caller.kind === "anonymous") throw new AppError("AUTHENTICATION_REQUIRED", "to ask for access needs a session");
  if (caller.kind !== "user")
    throw new AppError("PERMISSION_DENIED", `${actorOf(caller)} is no person: only people ask for access`);
  const { appName, access } = asked;
  const reason = checkTexts(asked);
  const earlier = earlierReceipt();
  const app = await knownApp(context, appName, call);
  const shown = (request: AccessRequest): ShownRequest => ({
    ...request,
    person: { id: `user:${caller.id}`, displayName: caller.displayName },
    appDisplayName: app.displayName,
  });
  if (earlier) return shown(await stored(context, String(earlier["request"])));
  requireDeclared(app, access);
  await requireMissing(context, tupleOf(app.name, access, caller.id));
  const id = uuidv7();
  const requestedAt = new Date(context.clock.now());
  const request = { id, userId: caller.id, appName: app.name, access, reason, requestedAt };
  await context.database.transaction(async (tx) => {
    await context.requests.lock(tx, caller.id);
    await requireAllowance(context, tx, request);
    await recordKeyedWork(tx, { request: id });
    await context.requests.replace(tx, request);
    const details = { request: id, access, ...(reason !== undefined && { reason }) };
    await context.audit.record(tx, auditEntry(call, { action: "access.request", target: `app:${app.name}`, details }));
    const { displayName } = caller;
    const fields = { requestId: id, subject: `user:${caller.id}`, displayName, access, reason: reason ?? null };
    await announce(tx, context, "access.requested", app, fields);
  });
  return shown(await stored(context, id));
}

/** Returns what gives a person a level or a permission of an app. */
export function tupleOf(appName: string, access: string, userId: string): Tuple {
  const user = `user:${userId}`;
  return levels.has(access)
    ? { user, relation: access, object: `app:${appName}` }
    : { user, relation: "holder", object: scopeObject(access, appName) };
}

/** Throws NOT_FOUND for a permission that the app does not declare. */
export function requireDeclared({ name, permissions }: RequestableApp, access: string): void {
  if (!levels.has(access) && !permissions.includes(access))
    throw new AppError("NOT_FOUND", `${name} has no permission ${access}`);
}

function checkTexts({ appName, access, reason }: AccessAsked): string | undefined {
  if (!isAppName(appName)) throw invalidField("appName", "must be the name of an app");
  if (!levels.has(access) && !isPermission(access))
    throw invalidField("access", "must be viewer, editor, owner, or a permission of the app as in notes:read");
  const text = reason?.trim() ?? "";
  if (characterCount(text) > maxReason) throw invalidField("reason", `must have at most ${maxReason} characters`);
  const problem = lineProblem(text);
  if (problem !== undefined) throw invalidField("reason", problem);
  return text === "" ? undefined : text;
}

async function knownApp({ apps }: RequestContext, name: string, call: Call): Promise<RequestableApp> {
  const app = await apps.known(name, call);
  if (!app) throw new AppError("NOT_FOUND", `there is no app ${name} that you can ask for`);
  return app;
}

async function requireMissing({ authorization }: RequestContext, tuple: Tuple): Promise<void> {
  if (await authorization.check(tuple)) throw new AppError("INVALID_STATE", "you have this access already");
}

/** One request a day for the same, and a few that wait. */
async function requireAllowance(
  { requests }: RequestContext,
  tx: Transaction,
  { userId, appName, access, requestedAt }: Pick<AccessRequest, "userId" | "appName" | "access" | "requestedAt">,
): Promise<void> {
  const all = await requests.ofPerson(tx, userId);
  const same = all.find((each) => each.appName === appName && each.access === access);
  const again = same && new Date(same.requestedAt.getTime() + dayMs);
  if (again && again > requestedAt)
    throw new AppError(
      "CONFLICT",
      `you asked for ${access} of ${appName} at ${same.requestedAt.toISOString()}: ask again from ${again.toISOString()} on`,
      { details: { request: same.id, askAgainAt: again.toISOString() } },
    );
  const others = all.filter((each) => each.state === "OPEN" && each !== same);
  if (others.length >= maxOpen) throw new AppError("INVALID_STATE", `${maxOpen} of your requests wait for a decision already`);
}

async function stored({ requests, database }: RequestContext, id: string): Promise<AccessRequest> {
  const request = await requests.find(database, id);
  if (!request) throw new AppError("NOT_FOUND", "the request was removed");
  return request;
}
