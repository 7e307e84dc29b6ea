import type { RestRoute } from "@appserver/kernel";
import { readApprovals } from "../../use-cases/app-approvals.ts";
import type { MarketplaceContext } from "../../use-cases/context.ts";
import { approvalsReply } from "./approvals-reply.ts";
import { type AppParams, appParamsSchema, approvalsResponse } from "./approvals-schema.ts";

/** Returns the route that reads the approvals of an app (docs/interface/rest.md#read-approvals). */
export function readApprovalsRoute(context: MarketplaceContext): RestRoute<AppParams, undefined> {
  return {
    method: "GET",
    url: "/api/v2/apps/:id/approvals",
    schema: { params: appParamsSchema },
    documentation: {
      operationId: "approvals",
      summary: "Reads which permissions an app needs, and which are approved",
      tag: "approvals",
      responses: { 200: approvalsResponse },
    },
    handle: async (call) => approvalsReply(await readApprovals(context, call.params.id, call)),
  };
}
