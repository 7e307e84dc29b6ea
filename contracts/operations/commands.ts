import { type Operations, query, subscription } from "./operation.ts";
import { replies } from "./rest-endpoint.ts";

/** Operations on commands that are still running, or have ended. */
export const commandOperations: Operations = {
  operation: {
    ...query,
    permission: "app:view",
    appctl: ["operation"],
    errors: ["NOT_FOUND"],
    rest: {
      url: "/api/v2/operations/:id",
      path: { id: "id" },
      tag: "operations",
      summary: "Reads an operation",
      reply: replies.value,
    },
  },
  operationProgress: {
    ...subscription,
    permission: "app:view",
    appctl: ["operation", "install", "upgrade", "rollback", "redeploy"],
    errors: ["NOT_FOUND"],
  },
};
