import type {
  AccessRequest as AccessRequestNode,
  MutationDecideAccessRequestArgs,
  MutationRequestAccessArgs,
  QueryAccessRequestsArgs,
} from "@appserver/contracts/graphql/types";
import { type Call, connectionOf } from "@appserver/kernel";
import type { RequestContext, ShownRequest } from "../use-cases/access-requests/context.ts";
import { decideRequest } from "../use-cases/access-requests/decide-request.ts";
import { readRequests, requestCursor } from "../use-cases/access-requests/read-requests.ts";
import { requestAccess } from "../use-cases/access-requests/request-access.ts";

export type AccessRequestResolversDeps = RequestContext;

/** Resolvers of the part of the schema about what people ask for. They only translate. */
export function accessRequestResolversOf(context: AccessRequestResolversDeps) {
  return {
    Query: {
      accessRequests: async (_: unknown, { own, first, after }: QueryAccessRequestsArgs, call: Call) => {
        const page = await readRequests(context, { own: own ?? false, first, after }, call);
        return { ...connectionOf(page, after, { cursor: requestCursor, node: requestNode }), totalCount: page.totalCount };
      },
    },
    Mutation: {
      requestAccess: async (
        _: unknown,
        { appName, access, reason }: MutationRequestAccessArgs,
        call: Call,
      ): Promise<AccessRequestNode> =>
        requestNode(await requestAccess(context, { appName, access, reason: reason ?? undefined }, call)),
      decideAccessRequest: async (
        _: unknown,
        { id, decision }: MutationDecideAccessRequestArgs,
        call: Call,
      ): Promise<AccessRequestNode> => requestNode(await decideRequest(context, { id, isGranted: decision === "GRANT" }, call)),
    },
  };
}

function requestNode({ userId: _, ...request }: ShownRequest): AccessRequestNode {
  return request;
}
