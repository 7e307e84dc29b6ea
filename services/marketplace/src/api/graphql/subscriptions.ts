import type { AppStateFilter } from "@appserver/contracts/graphql/types";
import type { Call } from "@appserver/kernel";
import { watchApps } from "../../use-cases/watch-apps.ts";
import { readFilter } from "./app-filter.ts";
import { type AppNode, appNode, type GraphqlDeps } from "./app-node.ts";

/** Returns the resolvers of the root fields of subscriptions. */
export function appSubscriptions({ context }: GraphqlDeps) {
  return {
    appStateChanged: {
      subscribe: async function* (_: unknown, args: { filter?: AppStateFilter | null }, call: Call): AsyncGenerator<AppNode> {
        for await (const app of watchApps(context, readFilter(args.filter), call)) yield appNode(context, app);
      },
    },
  };
}
