import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import {
  AppChangesDocument,
  type AppChangesSubscription,
  type AppsQuery,
  LatestChangeDocument,
  OperationChangesDocument,
  ViewerDocument,
} from "../generated/operations.ts";
import { follow, pageReadAt, pauseMs, send } from "./client.ts";
import { connection, session } from "./connection.ts";
import { type AppRow, operationQuery } from "./queries.ts";
import { readViewerAgain } from "./query-client.ts";
import { useStore } from "./store.ts";

/** Changes often arrive in groups. The lists are read once for each group. */
const groupMs = 300;

/** By which the clocks of a platform's processes may differ. */
const clockMs = 5_000;

/** Returns when an app has changed last, in ms. */
async function latestChange(): Promise<number> {
  const { apps } = await send(LatestChangeDocument, {});
  return Date.parse(apps.edges[0]?.node.updatedAt ?? "") || 0;
}

/** Shows changes of apps at once, and reads what depends on them again. */
export function useAppChanges(enabled: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!enabled) return;
    const changed = new Set<string>();
    let isMissing = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (): void => {
      timer = undefined;
      const keys = isMissing ? [["app"]] : [...changed].map((name) => ["app", name]);
      for (const list of ["apps", "counts", "events", "frontends", "frontend", "gallery"]) keys.push([list]);
      for (const queryKey of keys) void queries.invalidateQueries({ queryKey });
      changed.clear();
      isMissing = false;
    };
    const show = ({ appStateChanged: app }: AppChangesSubscription): void => {
      replaceRow(queries, app);
      changed.add(app.name);
      timer ??= setTimeout(refresh, groupMs);
    };
    const readAgain = (): void => {
      isMissing = true;
      clearTimeout(timer);
      timer = setTimeout(refresh, groupMs);
    };
    /** Changes between a response and the beginning of the subscription are in neither. For a new page, one request tells whether there are any. */
    let isFirst = true;
    let checking: ReturnType<typeof setTimeout> | undefined;
    const begin = (): void => {
      const readAt = isFirst ? pageReadAt() : undefined;
      isFirst = false;
      const since = (readAt ?? 0) - clockMs;
      const check = async (): Promise<void> => {
        const changedAt = await latestChange().catch(() => undefined);
        if (changedAt === undefined || changedAt > since) readAgain();
      };
      if (readAt === undefined) readAgain();
      else checking = setTimeout(() => void check(), groupMs);
    };
    const stop = follow(AppChangesDocument, {}, show, { onStart: begin, onRefusal: readViewerAgain });
    return () => {
      clearTimeout(timer);
      clearTimeout(checking);
      stop();
    };
  }, [queries, enabled]);
}

function replaceRow(queries: QueryClient, app: AppRow): void {
  queries.setQueriesData({ queryKey: ["apps"] }, (page: AppsQuery["apps"] | undefined) => {
    if (!page?.edges.some(({ node }) => node.id === app.id)) return page;
    return { ...page, edges: page.edges.map((edge) => (edge.node.id === app.id ? { ...edge, node: app } : edge)) };
  });
}

/** Follows an operation until it is done. Then it reads the app again. */
export function useOperationChanges(id: string | undefined): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (id === undefined) return;
    return follow(OperationChangesDocument, { id }, ({ operationProgress: operation }) => {
      queries.setQueryData(operationQuery(id).queryKey, operation);
      if (operation.done) void queries.invalidateQueries({ queryKey: ["app", operation.appName] });
    });
  }, [queries, id]);
}

/** While the connection is lost, asks until the platform responds, and then reads everything that is shown again. */
export function useReconnect(): void {
  const queries = useQueryClient();
  const state = useStore(connection);
  useEffect(() => {
    if (state !== "lost") return;
    let timer: ReturnType<typeof setTimeout>;
    let attempt = 0;
    const ask = (): void => {
      send(ViewerDocument, {}).then(
        () => {
          connection.set("connected");
          void queries.invalidateQueries();
        },
        () => {
          if (session.get() === "ended") return connection.set("connected");
          attempt += 1;
          timer = setTimeout(ask, pauseMs(Math.min(attempt, 2)));
        },
      );
    };
    timer = setTimeout(ask, pauseMs(0));
    return () => clearTimeout(timer);
  }, [queries, state]);
}
