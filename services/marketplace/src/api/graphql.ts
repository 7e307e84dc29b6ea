import type { AppPage } from "../domain/app-query.ts";
import { apiFields, appFields } from "./graphql/app-fields.ts";
import type { GraphqlDeps } from "./graphql/app-node.ts";
import { galleryMutations, galleryQueries } from "./graphql/gallery.ts";
import { lifeMutations } from "./graphql/life-mutations.ts";
import { appMutations } from "./graphql/mutations.ts";
import { appQueries } from "./graphql/queries.ts";
import { snapshotMutations, snapshotQueries } from "./graphql/snapshots.ts";
import { appSubscriptions } from "./graphql/subscriptions.ts";
import { pageFields, viewerFields, viewerQueries } from "./graphql/viewer.ts";

/** Returns the resolvers of the marketplace schema. They only translate between GraphQL and the use cases. */
export function marketplaceResolvers(deps: GraphqlDeps) {
  return {
    Query: { ...appQueries(deps), ...snapshotQueries(deps), ...galleryQueries(deps), ...viewerQueries(deps) },
    Mutation: { ...appMutations(deps), ...lifeMutations(deps), ...snapshotMutations(deps), ...galleryMutations(deps) },
    Subscription: appSubscriptions(deps),
    App: appFields(deps),
    AppApi: apiFields(deps),
    AppConnection: {
      /** Computed only if the query selects it. */
      totalCount: ({ count }: { readonly count: AppPage["totalCount"] }) => count(),
    },
    Viewer: viewerFields(deps),
    FrontendPage: pageFields(deps),
  };
}
