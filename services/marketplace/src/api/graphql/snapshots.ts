import type { AppSnapshot as SnapshotRecord } from "@appserver/contracts/deployments";
import { objectOf } from "@appserver/contracts/graphql";
import type { AppSnapshot } from "@appserver/contracts/graphql/types";
import type { Call } from "@appserver/kernel";
import { cloneApp } from "../../use-cases/snapshots/clone-app.ts";
import { listSnapshots } from "../../use-cases/snapshots/list-snapshots.ts";
import { createSnapshot, deleteSnapshot, restoreSnapshot } from "../../use-cases/snapshots/snapshot-commands.ts";
import type { GraphqlDeps } from "./app-node.ts";
import { type Named, result } from "./command-result.ts";

interface OfSnapshot extends Named {
  readonly snapshot: string;
}

/** Returns the resolver of the query of snapshots. */
export function snapshotQueries({ context }: GraphqlDeps) {
  return {
    appSnapshots: async (_: unknown, request: Named, call: Call): Promise<readonly AppSnapshot[]> =>
      (await listSnapshots(context, request, call)).map(presented),
  };
}

/** Returns the resolvers of the commands on snapshots. */
export function snapshotMutations({ context }: GraphqlDeps) {
  return {
    createAppSnapshot: async (_: unknown, { name, label }: Named & { readonly label?: string | null }, call: Call) =>
      result(context, await createSnapshot(context, { name, label: label ?? undefined }, call)),
    restoreAppSnapshot: async (_: unknown, request: OfSnapshot, call: Call) =>
      result(context, await restoreSnapshot(context, request, call)),
    cloneApp: async (_: unknown, request: OfSnapshot & { readonly as: string }, call: Call) =>
      result(context, await cloneApp(context, request, call)),
    deleteAppSnapshot: async (_: unknown, request: OfSnapshot, call: Call) =>
      result(context, await deleteSnapshot(context, request, call)),
  };
}

function presented({ reason, ...snapshot }: SnapshotRecord): AppSnapshot {
  return objectOf({ ...snapshot, reason: reasons[reason] });
}

const reasons = { manual: "MANUAL", upgrade: "UPGRADE", backup: "BACKUP", restore: "RESTORE" } as const;
