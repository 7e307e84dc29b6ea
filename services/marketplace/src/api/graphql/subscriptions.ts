import type { AppStateFilter, Operation } from "@appserver/contracts/graphql/types";
import { type Call, oncePerObject } from "@appserver/kernel";
import type { AppRecord } from "../../domain/app.ts";
import { watchOperation } from "../../use-cases/read-operations.ts";
import { watchApps } from "../../use-cases/watch-apps.ts";
import { readFilter } from "./app-filter.ts";
import { type AppNode, appNode, type GraphqlDeps } from "./app-node.ts";
import * as present from "./present.ts";

/** Returns the resolvers of the root fields of subscriptions. */
export function appSubscriptions({ context }: GraphqlDeps) {
  const nodeOf = oncePerObject((app: AppRecord) => appNode(context, app));
  return {
    appStateChanged: {
      subscribe: async function* (_: unknown, args: { filter?: AppStateFilter | null }, call: Call): AsyncGenerator<AppNode> {
        for await (const app of watchApps(context, readFilter(args.filter), call)) yield nodeOf(app);
      },
    },
    operationProgress: {
      subscribe: async function* (_: unknown, { id }: { id: string }, call: Call): AsyncGenerator<Operation> {
        for await (const view of watchOperation(context, id, call)) yield present.operation(view);
      },
    },
  };
}
