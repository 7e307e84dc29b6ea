import type { RestRoute } from "@appserver/kernel";
import { revokeScopesOf } from "../../use-cases/app-approvals.ts";
import type { MarketplaceContext } from "../../use-cases/context.ts";
import { approvalsReply } from "./approvals-reply.ts";
import { type ApprovalParams, approvalParamsSchema, changedApprovalsResponse } from "./approvals-schema.ts";

/** Returns the route that revokes a permission of an app (docs/interface/rest.md#revoke). */
export function revokeRoute(context: MarketplaceContext): RestRoute<ApprovalParams, undefined> {
  return {
    method: "DELETE",
    url: "/api/v2/apps/:id/approvals/:scope",
    schema: { params: approvalParamsSchema },
    documentation: {
      operationId: "revokePermissions",
      summary: "Revokes a permission of an app",
      tag: "approvals",
      responses: { 200: changedApprovalsResponse },
    },
    handle: async (call) => {
      const { id: appId, scope } = call.params;
      return approvalsReply(await revokeScopesOf(context, { appId, scopes: [scope] }, call));
    },
  };
}
