import { AppError, actorOf, auditEntry, type Call, earlierReceipt, isUuid, recordKeyedWork } from "@appserver/kernel";
import type { AccessRequest, RequestableApp, Transaction } from "../../ports.ts";
import { requireManager, writeTuplesIn } from "../change-access.ts";
import { announce, type RequestContext, type ShownRequest } from "./context.ts";
import { shownRequests } from "./read-requests.ts";
import { requireDeclared, tupleOf } from "./request-access.ts";

export interface DecidedRequest {
  readonly id: string;
  readonly isGranted: boolean;
}

/**
 * Gives what a person has asked for, as `grantAccess` does, or declines it. Needs `access:manage`. Throws NOT_FOUND, and INVALID_STATE for
 * a request that is decided or whose app is not installed.
 */
export async function decideRequest(
  context: RequestContext,
  { id, isGranted }: DecidedRequest,
  call: Call,
): Promise<ShownRequest> {
  const action = isGranted ? "access.accept" : "access.decline";
  await requireManager(context, { action, target: `access-request:${id}`, details: {} }, call);
  if (!earlierReceipt()) await context.database.transaction((tx) => decide(tx, context, { id, isGranted }, call));
  const request = await context.requests.find(context.database, id);
  if (!request) throw missing(id);
  const [shown] = await shownRequests(context, [request]);
  return shown as ShownRequest;
}

async function decide(tx: Transaction, context: RequestContext, { id, isGranted }: DecidedRequest, call: Call): Promise<void> {
  const request = isUuid(id) ? await context.requests.hold(tx, id) : undefined;
  if (!request) throw missing(id);
  if (request.state !== "OPEN") throw new AppError("INVALID_STATE", `the request is ${request.state} already`);
  const { appName, access, userId } = request;
  const subject = `user:${userId}`;
  const app = await appOf(context, request, isGranted);
  await context.requests.decide(tx, { id, state: isGranted ? "GRANTED" : "DECLINED", at: new Date(context.clock.now()) });
  const details = { request: id, user: subject, access };
  const action = isGranted ? "access.accept" : "access.decline";
  await context.audit.record(tx, auditEntry(call, { action, target: `app:${appName}`, details }));
  const fields = { requestId: id, subject, access, isGranted, actor: actorOf(call.caller) };
  await announce(tx, context, "access.decided", app, fields);
  if (isGranted) await writeTuplesIn(tx, context, { writes: [tupleOf(appName, access, userId)] }, call);
  else await recordKeyedWork(tx, { request: id });
}

/** Only what an installed app has can be given. */
async function appOf(
  { apps }: RequestContext,
  { appName, access }: AccessRequest,
  isGranted: boolean,
): Promise<Pick<RequestableApp, "id" | "name" | "version">> {
  const app = await apps.installed(appName);
  if (!isGranted) return app ?? { id: "", name: appName, version: "" };
  if (!app) throw new AppError("INVALID_STATE", `${appName} is not installed any more: decline the request`);
  requireDeclared(app, access);
  return app;
}

function missing(id: string): AppError {
  return new AppError("NOT_FOUND", `there is no request for access ${JSON.stringify(id.slice(0, 64))}`);
}
