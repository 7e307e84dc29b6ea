import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import * as operations from "../generated/operations.ts";
import { send } from "./client.ts";

export type AppApi = NonNullable<NonNullable<operations.AppRoutesQuery["app"]>["api"]>;
export type Route = AppApi["routes"][number];
export type Asset = NonNullable<operations.AppAssetsQuery["app"]>["assets"][number];

/** The key begins with that of the app, so that a change of the app also reads this again. */
export function routesQuery(name: string) {
  return queryOptions({
    queryKey: ["app", name, "routes"],
    queryFn: async () => (await send(operations.AppRoutesDocument, { name })).app?.api ?? null,
  });
}

export function assetsQuery(name: string) {
  return queryOptions({
    queryKey: ["app", name, "assets"],
    queryFn: async () => (await send(operations.AppAssetsDocument, { name })).app ?? null,
  });
}

/** Requests to one route within the last hour (docs/interface/operations.md#last-hour). */
export interface RouteTraffic {
  /** Id of the route. Empty: requests that no route matches. */
  readonly route: string;
  readonly requests: number;
  readonly errors: number;
  readonly refused: number;
  readonly limited: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

/** The requests to an app, and what it used. */
export function appMetricsQuery(name: string, range: "hour" | "day") {
  return queryOptions({
    queryKey: ["app-metrics", name, range],
    queryFn: async () =>
      (await send(operations.AppMetricsDocument, { name, minutes: range === "hour" ? 60 : 24 * 60 })).metrics,
    // Figures of a day change once a minute.
    refetchInterval: range === "hour" ? 10_000 : 60_000,
  });
}

type Past = NonNullable<operations.AppPastQuery["app"]>;
export type Deploy = Past["versionHistory"][number];

const maxDeploys = 50;

/**
 * What happened to an app: the newest states, the newest transitions of its deployments, and the newest releases that began to serve,
 * without the switches that were given up. The key begins with that of the app, so that a change of the app also reads this again.
 */
export function appPastQuery(name: string, count: { readonly history: number; readonly deploymentEvents: number }) {
  return queryOptions({
    queryKey: ["app", name, "past", count],
    queryFn: async () => {
      const { app } = await send(operations.AppPastDocument, { name, ...count, deploys: maxDeploys });
      const { history = [], deploymentEvents = [], versionHistory = [] } = app ?? {};
      return { history, deploymentEvents, deploys: versionHistory.filter(({ kind }) => kind !== "REVERT") };
    },
    placeholderData: keepPreviousData,
  });
}

/** Those of the 100 busiest routes by id. */
export function trafficQuery(name: string) {
  return {
    ...appMetricsQuery(name, "hour"),
    select: ({ proxy }: Metrics) => (proxy as { readonly routes: readonly RouteTraffic[] }).routes,
  };
}

type Metrics = operations.AppMetricsQuery["metrics"];
