import type { MarketplaceContext } from "../use-cases/context.ts";
import { approveRoute } from "./http/approve-route.ts";
import { readApprovalsRoute } from "./http/read-approvals-route.ts";
import { revokeRoute } from "./http/revoke-route.ts";

/** Returns the marketplace's part of REST v2 (docs/interface/rest.md#endpoints). It only translates. */
export function marketplaceHttp(context: MarketplaceContext) {
  return [readApprovalsRoute(context), approveRoute(context), revokeRoute(context)] as const;
}
