import { objectOf } from "@appserver/contracts/graphql";
import type { TracedRequest } from "@appserver/contracts/graphql/types";
import { type Call, connectionOf } from "@appserver/kernel";
import type { StoredRequest } from "../ports.ts";
import { type RequestsContext, type RequestsRequest, readRequests, requestCursorOf } from "../use-cases/read-requests.ts";
import { type PageContext, type PageRecord, recordPage } from "../use-cases/record-page.ts";

/** Resolves the query `requests`, newest first, and what pages of apps add to their traces. */
export function requestResolvers(context: RequestsContext & PageContext) {
  return {
    Query: {
      requests: async (_: unknown, args: RequestsRequest, call: Call) =>
        connectionOf(await readRequests(context, args, call), args.after, { cursor: requestCursorOf, node: presentRequest }),
    },
    Mutation: {
      recordPage: (_: unknown, page: PageRecord, call: Call): number => recordPage(context, page, call),
    },
  };
}

/** Returns a request as GraphQL shows it. */
export function presentRequest(request: StoredRequest): TracedRequest {
  return objectOf({ ...request, appName: request.app, route: request.pattern, reason: request.reasonId });
}
