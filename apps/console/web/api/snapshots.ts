import { queryOptions } from "@tanstack/react-query";
import { SnapshotsDocument, type SnapshotsQuery } from "../generated/operations.ts";
import { send } from "./client.ts";

export type Snapshot = SnapshotsQuery["appSnapshots"][number];

/** The snapshots of an app, newest first. The key begins with that of the app, so that a change of the app also reads this again. */
export function snapshotsQuery(name: string) {
  return queryOptions({
    queryKey: ["app", name, "snapshots"],
    queryFn: async () => (await send(SnapshotsDocument, { name })).appSnapshots,
  });
}
