import { type InfiniteData, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { follow } from "../../api/client.ts";
import { type ActivityRunsQuery, RunChangesDocument } from "../../generated/operations.ts";
import { isActive, type Run, type RunDetails, runQuery } from "./activity-queries.ts";

type Runs = ActivityRunsQuery["activityRuns"];

/** Shows the progress of a run that has not ended. Then it reads the run again, with its output. */
export function useRunChanges(run: Run | undefined, follows = true): void {
  const queries = useQueryClient();
  const id = run?.id;
  const isFollowed = follows && run !== undefined && isActive(run);
  useEffect(() => {
    if (id === undefined || !isFollowed) return;
    return follow(RunChangesDocument, { runId: id }, ({ activityProgress }) => showRun(queries, activityProgress));
  }, [queries, id, isFollowed]);
}

/** Shows a newer state of a run wherever the run is shown. */
export function showRun(queries: QueryClient, run: Run): void {
  const shown = queries.getQueryData<RunDetails | null>(runQuery(run.id).queryKey);
  if (shown) queries.setQueryData(runQuery(run.id).queryKey, { ...shown, ...run });
  // The changes do not have the attempts.
  if (shown && shown.status === "RUNNING" && run.status !== "RUNNING")
    void queries.invalidateQueries({ queryKey: runQuery(run.id).queryKey });
  queries.setQueriesData({ queryKey: ["runs"] }, (data: InfiniteData<Runs> | readonly Run[] | undefined) => {
    if (!data || !("pages" in data)) return data;
    const edgesOf = ({ edges }: Runs) => edges.map((edge) => (edge.node.id === run.id ? { ...edge, node: run } : edge));
    return { ...data, pages: data.pages.map((page) => ({ ...page, edges: edgesOf(page) })) };
  });
  if (isActive(run)) return;
  void queries.invalidateQueries({ queryKey: runQuery(run.id).queryKey });
  void queries.invalidateQueries({ queryKey: ["runs"] });
}
