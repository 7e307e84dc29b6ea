import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { send } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import * as operations from "../../generated/operations.ts";

const pageSize = 50;
const pollMs = 5_000;

export type Backup = operations.BackupRowFragment;
export type BackupSummary = operations.BackupSummaryQuery["backupSummary"];

export const backupSummaryQuery = queryOptions({
  queryKey: ["backups", "summary"],
  queryFn: async () => (await send(operations.BackupSummaryDocument, {})).backupSummary,
  refetchInterval: pollMs,
});

/** Read again every 5 s for each page that is shown. */
export const backupsQuery = infiniteQueryOptions({
  queryKey: ["backups", "list"],
  queryFn: async ({ pageParam: after }) => (await send(operations.BackupsDocument, { first: pageSize, after })).backups,
  initialPageParam: null as string | null,
  getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
  refetchInterval: ({ state }) => pollMs * (state.data?.pages.length ?? 1),
});

/** Returns the id of the backup. */
export async function startBackup(): Promise<string> {
  const { startBackup: requested } = await send(operations.StartBackupDocument, {});
  await queryClient.invalidateQueries({ queryKey: ["backups"] });
  return requested.id;
}

export function isUnfinished({ state }: Backup): boolean {
  return state === "REQUESTED" || state === "RUNNING";
}
