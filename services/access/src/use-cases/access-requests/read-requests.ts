import { AppError, type Call, Cursors, isUuid, type Page, pageOf, pageSize, requirePermission } from "@appserver/kernel";
import type { AccessRequest } from "../../ports.ts";
import { named } from "../read-access.ts";
import type { RequestContext, ShownRequest } from "./context.ts";

export interface RequestsAsked {
  /** The requests of the caller, also those that are decided. */
  readonly own: boolean;
  /** 1 to 250, default 50. */
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

export interface RequestsPage extends Page<ShownRequest> {
  readonly totalCount: number;
}

const cursors = new Cursors("access-request", isUuid);

/** Returns what waits for a decision, newest first. Needs `access:view`. People need nothing for their own requests. */
export async function readRequests(
  context: RequestContext,
  { own, first, after }: RequestsAsked,
  call: Call,
): Promise<RequestsPage> {
  if (own) return await readOwn(context, { first, after }, call);
  await requirePermission(context.permissions, call, "access:view");
  const size = pageSize(first);
  const below = cursors.read(after);
  const { requests, totalCount } = await context.requests.open(context.database, { limit: size + 1, below });
  const page = pageOf(requests, size);
  return { ...page, items: await shownRequests(context, page.items), totalCount };
}

async function readOwn(
  context: RequestContext,
  { first, after }: Omit<RequestsAsked, "own">,
  { caller }: Call,
): Promise<RequestsPage> {
  if (caller.kind === "anonymous") throw new AppError("AUTHENTICATION_REQUIRED", "your own requests need a session");
  const size = pageSize(first);
  const below = cursors.read(after);
  const all = caller.kind === "user" ? await context.requests.ofPerson(context.database, caller.id) : [];
  const page = pageOf(
    all.filter(({ id }) => below === undefined || id < below),
    size,
  );
  return { ...page, items: await shownRequests(context, page.items), totalCount: all.length };
}

/** Adds the names of people and apps. */
export async function shownRequests(
  context: RequestContext,
  requests: readonly AccessRequest[],
): Promise<readonly ShownRequest[]> {
  const people = await named(
    context,
    requests.map(({ userId }) => `user:${userId}`),
  );
  const apps = [...new Set(requests.map(({ appName }) => appName))];
  const names = new Map(await Promise.all(apps.map(async (name) => [name, await context.apps.displayName(name)] as const)));
  return requests.map((request, index) => ({
    ...request,
    person: people[index] ?? { id: `user:${request.userId}`, displayName: undefined },
    appDisplayName: names.get(request.appName) ?? request.appName,
  }));
}

/** Returns the cursor of a request, opaque to clients. */
export function requestCursor({ id }: ShownRequest): string {
  return cursors.of(id);
}
