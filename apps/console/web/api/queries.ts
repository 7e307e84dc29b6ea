import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import * as operations from "../generated/operations.ts";
import { send } from "./client.ts";
import { viewerKey } from "./query-client.ts";

/** With the fields of a row, more apps would exceed the cost of an operation (docs/interface/graphql.md#limits). */
export const appsPageSize = 40;
const eventsPageSize = 50;

/** The API notifies of no change of a user's permissions. */
const viewerPollMs = 15_000;

export const viewerQuery = queryOptions({
  queryKey: viewerKey,
  queryFn: async () => (await send(operations.ViewerDocument, {})).viewer,
  staleTime: 30_000,
  refetchOnWindowFocus: "always",
  refetchInterval: viewerPollMs,
});

export type Viewer = operations.ViewerQuery["viewer"];
export type AppRow = operations.AppRowFragment;
export type AppDetails = NonNullable<operations.AppQuery["app"]>;
export type Operation = operations.OperationProgressFragment;
export type EventRow = operations.EventFragment;
export type DeployEvent = operations.OverviewEventsQuery["deploys"]["edges"][number]["node"];

/** The first apps by name, and how many there are in each state. */
export const wallQuery = queryOptions({
  queryKey: ["counts"],
  queryFn: () => send(operations.AppWallDocument, { first: appsPageSize }),
});

export const lastHourQuery = queryOptions({
  queryKey: ["last-hour"],
  queryFn: async () => (await send(operations.LastHourDocument, {})).metrics,
  refetchInterval: 10_000,
});

export interface AppsFilter {
  readonly search?: string | undefined;
  readonly state?: operations.AppState | undefined;
}

export function appFilterOf({ search, state }: AppsFilter) {
  return { ...(search && { search }), ...(state && { states: [state] }) };
}

/** What of the list of apps is read, and in which order. */
export interface AppsList extends AppsFilter {
  readonly order?: operations.AppOrder | undefined;
  readonly descending?: boolean | undefined;
}

export function appVariablesOf({ order = "NAME", descending = false, ...filter }: AppsList) {
  return { filter: appFilterOf(filter), order, descending };
}

/** A page of the apps that match. */
export function appsQuery(list: AppsList, after: string | null) {
  const variables = appVariablesOf(list);
  return queryOptions({
    queryKey: ["apps", variables, after],
    queryFn: async () => (await send(operations.AppsDocument, { ...variables, first: appsPageSize, after })).apps,
  });
}

export function appQuery(name: string) {
  return queryOptions({
    queryKey: ["app", name],
    queryFn: async () => (await send(operations.AppDocument, { name })).app ?? null,
  });
}

/** The running operation of an app, or the last one. */
export function appOperationQuery(name: string) {
  return queryOptions({
    queryKey: ["app", name, "operation"],
    queryFn: async () => (await send(operations.AppOperationDocument, { name })).app?.operation ?? null,
  });
}

export function operationQuery(id: string) {
  return queryOptions({
    queryKey: ["operation", id],
    queryFn: async () => (await send(operations.OperationDocument, { id })).operation ?? null,
  });
}

export function installPlanQuery(name: string) {
  return queryOptions({
    queryKey: ["plan", "install", name],
    queryFn: async () => (await send(operations.InstallPlanDocument, { name })).installPlan,
    staleTime: 0,
    gcTime: 0,
  });
}

export function upgradePlanQuery(name: string, version: string) {
  return queryOptions({
    queryKey: ["plan", "upgrade", name, version],
    queryFn: async () => (await send(operations.UpgradePlanDocument, { name, version })).upgradePlan,
    staleTime: 0,
    gcTime: 0,
  });
}

export interface EventsFilter {
  readonly type?: operations.SystemEventType | undefined;
  readonly app?: string | undefined;
}

export function eventVariables({ type, app }: EventsFilter) {
  return { types: type ? [type] : null, appName: app || null };
}

/** With all their steps, events of the last operations. */
const recentEvents = 60;
const marksShown = 50;

/** The newest events, and those that releases began to serve. The key begins with that of events, so that it is read again with them. */
export const overviewEventsQuery = queryOptions({
  queryKey: ["events", "overview"],
  queryFn: async () => {
    const found = await send(operations.OverviewEventsDocument, { recent: recentEvents, deploys: marksShown });
    return { recent: found.recent.edges.map(({ node }) => node), deploys: found.deploys.edges.map(({ node }) => node) };
  },
});

export function eventsQuery(filter: EventsFilter) {
  return infiniteQueryOptions({
    queryKey: ["events", filter],
    queryFn: async ({ pageParam: after }) =>
      (await send(operations.EventsDocument, { ...eventVariables(filter), first: eventsPageSize, after })).systemEvents,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
  });
}
