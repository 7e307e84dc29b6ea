import { type Call, Cursors, pageSize, requirePermission } from "@appserver/kernel";
import type { AppRecord, AssetRecord } from "../domain/app.ts";
import type { AppOrder, AppPage, AppQuery } from "../domain/app-query.ts";
import { type AppState, expandStates } from "../domain/app-state.ts";
import { type AppNeed, appsWithNeeds } from "./apps-with-needs.ts";
import type { MarketplaceContext } from "./context.ts";

export interface AppFilter {
  readonly names?: readonly string[] | undefined;
  /** INSTALLED matches every installed app, including RUNNING and UNHEALTHY. */
  readonly states?: readonly AppState[] | undefined;
  readonly search?: string | undefined;
  /** Apps that have one of these needs. */
  readonly needs?: readonly AppNeed[] | undefined;
}

export interface ListRequest {
  readonly filter: AppFilter;
  /** 1 to 250, default 50. */
  readonly first?: number | undefined;
  /** Default: by name. */
  readonly order?: AppOrder | undefined;
  readonly descending?: boolean | undefined;
  /** Opaque cursor of the last app of the previous page, in this order. */
  readonly after?: string | undefined;
}

/** Cursors contain app names. Any text is valid: the list continues after it, even if no app has that name. */
const cursors = new Cursors("app", () => true);
const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text));
/** Cursors of the other orders also contain the value by which the app is ordered. */
const valueCursors = {
  STATE: new Cursors("app-state", (key) => key.includes("|")),
  UPDATED: new Cursors("app-updated", (key) => isTime(key.split("|")[0] ?? "")),
} as const;

/** Throws AUTHENTICATION_REQUIRED or PERMISSION_DENIED unless the caller may see apps. */
export function requireView({ permissions }: MarketplaceContext, call: Call): Promise<void> {
  return requirePermission(permissions, call, "app:view");
}

/**
 * Returns apps in an order (docs/interface/graphql.md#connections). Throws INVALID_REQUEST if page size or cursor is invalid. Needs
 * `app:view`.
 */
export async function listApps(context: MarketplaceContext, request: ListRequest, call: Call): Promise<AppPage> {
  await requireView(context, call);
  const { filter } = request;
  const limit = pageSize(request.first);
  const { order = "NAME", descending = false } = request;
  const after = positionOf(order, request.after);
  const names = await namesOf(context, filter);
  return context.store.list({
    ...(names ? { names } : {}),
    ...(filter.states ? { states: expandStates(filter.states) } : {}),
    ...(filter.search !== undefined && filter.search !== "" ? { search: filter.search } : {}),
    ...(after === undefined ? {} : { after }),
    order,
    descending,
    limit,
  });
}

function positionOf(order: AppOrder, cursor: string | undefined): AppQuery["after"] {
  if (order === "NAME") {
    const name = cursors.read(cursor);
    return name === undefined ? undefined : { name };
  }
  const [value, name = ""] = valueCursors[order].read(cursor)?.split("|") ?? [];
  if (value === undefined) return undefined;
  return { name, value: order === "UPDATED" ? new Date(value) : value };
}

/** Returns the names that an app must have one of; undefined for any name. */
async function namesOf(context: MarketplaceContext, { names, needs }: AppFilter): Promise<readonly string[] | undefined> {
  if (!needs) return names;
  const needy = await appsWithNeeds(context, needs);
  if (!names) return needy;
  const wanted = new Set(names);
  return needy.filter((name) => wanted.has(name));
}

/** Returns the app; undefined if it is not registered. Needs `app:view`. */
export async function readApp(context: MarketplaceContext, name: string, call: Call): Promise<AppRecord | undefined> {
  await requireView(context, call);
  return context.store.findByName(name);
}

/** Returns an asset of an app; undefined if one of them does not exist. Needs `app:view`. */
export async function readAsset(
  context: MarketplaceContext,
  { appName, assetName }: { readonly appName: string; readonly assetName: string },
  call: Call,
): Promise<{ readonly app: AppRecord; readonly asset: AssetRecord } | undefined> {
  const app = await readApp(context, appName, call);
  const assets = app ? await context.store.assets(app.id, app.manifestDigest) : [];
  const asset = assets.find(({ name }) => name === assetName);
  return app && asset && { app, asset };
}

/** Returns the cursor of an app in a list of this order, opaque to clients. */
export function cursorOf(app: AppRecord, order: AppOrder = "NAME"): string {
  if (order === "NAME") return cursors.of(app.name);
  return valueCursors[order].of(`${order === "STATE" ? app.state : app.updatedAt.toISOString()}|${app.name}`);
}
