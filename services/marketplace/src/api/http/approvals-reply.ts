import type { RestReply } from "@appserver/kernel";
import type { AppApprovals } from "../../use-cases/app-approvals.ts";
import * as present from "../graphql/present.ts";

/** Returns the response with the approvals of an app, and the operation of the command that changed them. */
export function approvalsReply({ app, needed, granted, operation }: AppApprovals): RestReply {
  return {
    status: 200,
    json: {
      appId: app.id,
      appName: app.name,
      needed: needed.map(({ scope, owner, resourceType, reason, version, manifestDigest }) => ({
        scope,
        owner: owner ?? null,
        resourceType,
        reason,
        version,
        manifestDigest,
      })),
      granted: granted.map(({ scope, owner, approvedBy, approvedAt }) => ({
        scope,
        owner: owner ?? null,
        approvedBy,
        approvedAt: approvedAt.toISOString(),
      })),
      ...(operation ? { operation: present.operation(operation) } : {}),
    },
  };
}
