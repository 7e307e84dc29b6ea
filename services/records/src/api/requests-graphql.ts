import { objectOf } from "@appserver/contracts/graphql";
import type { TracedRequest } from "@appserver/contracts/graphql/types";
import { type Call, connectionOf } from "@appserver/kernel";
import type { StoredRequest } from "../ports.ts";
import { type RequestsContext, type RequestsRequest, readRequests, requestCursorOf } from "../use-cases/read-requests.ts";

/** Resolves the query `requests`, newest first. */
export function requestResolvers(context: RequestsContext) {
  return {
    Query: {
      requests: async (_: unknown, args: RequestsRequest, call: Call) =>
        connectionOf(await readRequests(context, args, call), args.after, { cursor: requestCursorOf, node: presentRequest }),
    },
  };
}

/** Returns a request as GraphQL shows it. */
export function presentRequest(request: StoredRequest): TracedRequest {
  return objectOf({ ...request, appName: request.app, route: request.pattern, reason: request.reasonId });
}
