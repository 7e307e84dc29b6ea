import type { RestRoute } from "@appserver/kernel";
import { approveScopes } from "../../use-cases/app-approvals.ts";
import type { MarketplaceContext } from "../../use-cases/context.ts";
import { approvalsReply } from "./approvals-reply.ts";
import {
  type AppParams,
  type ApproveBody,
  appParamsSchema,
  approveBodySchema,
  changedApprovalsResponse,
} from "./approvals-schema.ts";

/** Returns the route that approves permissions of an app (docs/interface/rest.md#approve). */
export function approveRoute(context: MarketplaceContext): RestRoute<AppParams, ApproveBody> {
  return {
    method: "POST",
    url: "/api/v2/apps/:id/approvals",
    schema: { params: appParamsSchema, body: approveBodySchema },
    documentation: {
      operationId: "approvePermissions",
      summary: "Approves permissions of an app",
      tag: "approvals",
      responses: { 200: changedApprovalsResponse },
    },
    handle: async (call) => {
      const { scopes, manifestDigest } = call.body;
      return approvalsReply(await approveScopes(context, { appId: call.params.id, scopes, manifestDigest }, call));
    },
  };
}
