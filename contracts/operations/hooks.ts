import { mutation, type Operations, ofApps, query, subscription } from "./operation.ts";

const ofDeliveries = { none: "`appctl hooks deliveries` and `appctl trace` show what became of events" } as const;

/** Operations on hooks and their deliveries. */
export const hookOperations: Operations = {
  triggerHook: { ...mutation, permission: "hook:trigger", grpc: "HooksService.TriggerHook", appctl: ["hooks trigger"] },
  hookTriggered: { ...subscription, permission: "hook:view", appctl: { none: "`appctl hooks listen` prints the same" } },
  subscribe: {
    absent: "apps receive hooks over gRPC; `hookTriggered` shows them to people",
    permission: { none: "an app receives its own hooks" },
    grpc: "HooksService.Subscribe",
    appctl: ["hooks listen"],
  },
  hookDeliveries: { ...query, permission: "hook:view", grpc: "HooksService.ListDeliveries", appctl: ["hooks deliveries"] },
  hookEvents: { ...query, permission: "hook:view", grpc: "HooksService.ListEvents", appctl: ofDeliveries },
  hookEvent: {
    ...query,
    permission: "hook:view",
    grpc: "HooksService.GetEvent",
    appctl: ofDeliveries,
    errors: ["NOT_FOUND"],
  },
  resendHookDelivery: {
    ...mutation,
    permission: "hook:trigger",
    grpc: "HooksService.ResendDelivery",
    appctl: ["hooks resend"],
    errors: ["NOT_FOUND", "INVALID_STATE"],
  },
  recoverHookDeliveries: {
    ...mutation,
    permission: "hook:trigger",
    grpc: "HooksService.RecoverDeliveries",
    appctl: ["hooks recover"],
  },
  getPushSecret: { ...ofApps, permission: { none: "an app reads its own secret" }, grpc: "HooksService.GetPushSecret" },
};
