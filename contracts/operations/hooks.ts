import { mutation, type Operations, ofApps, query, subscription } from "./operation.ts";
import { replies } from "./rest-endpoint.ts";

const ofDeliveries = { none: "`appctl hooks deliveries` and `appctl trace` show what became of events" } as const;

/** Operations on hooks and their deliveries. */
export const hookOperations: Operations = {
  triggerHook: {
    ...mutation,
    permission: "hook:trigger",
    grpc: "HooksService.TriggerHook",
    appctl: ["hooks trigger"],
    rest: {
      url: "/api/v2/hooks/:name/trigger",
      path: { name: "name" },
      tag: "hooks",
      summary: "Triggers a hook",
      reply: replies.value,
    },
  },
  hookTriggered: { ...subscription, permission: "hook:view", appctl: ["hooks listen"] },
  subscribe: {
    absent: "apps receive hooks over gRPC; `hookTriggered` shows them to people",
    permission: { none: "an app receives its own hooks" },
    grpc: "HooksService.Subscribe",
    appctl: { none: "`hookTriggered` shows them to people" },
  },
  recoverHookDeliveries: {
    ...mutation,
    permission: "hook:trigger",
    appctl: ["hooks recover"],
    rest: {
      url: "/api/v2/hooks/:name/recover",
      path: { name: "hookName" },
      tag: "hooks",
      summary: "Sends the dead deliveries of a time range again",
      reply: { kind: "wrapped", as: "recovered" },
    },
  },
  hookEvents: {
    ...query,
    app: "appName",
    permission: "hook:view",
    appctl: ofDeliveries,
    rest: { url: "/api/v2/hook-events", tag: "hooks", summary: "Lists events of hooks", reply: replies.page },
  },
  hookEvent: {
    ...query,
    permission: "hook:view",
    appctl: ofDeliveries,
    errors: ["NOT_FOUND"],
    rest: {
      url: "/api/v2/hook-events/:id",
      path: { id: "id" },
      tag: "hooks",
      summary: "Reads an event of a hook",
      reply: replies.value,
    },
  },
  hookDeliveries: {
    ...query,
    app: "appName",
    permission: "hook:view",
    appctl: ["hooks deliveries"],
    rest: { url: "/api/v2/hook-deliveries", tag: "hooks", summary: "Lists deliveries", reply: replies.page },
  },
  resendHookDelivery: {
    ...mutation,
    permission: "hook:trigger",
    appctl: ["hooks resend"],
    errors: ["NOT_FOUND", "INVALID_STATE"],
    rest: {
      url: "/api/v2/hook-deliveries/:id/resend",
      path: { id: "id" },
      tag: "hooks",
      summary: "Sends a delivery again",
      reply: replies.value,
    },
  },
  getPushSecret: { ...ofApps, permission: { none: "an app reads its own secret" }, grpc: "HooksService.GetPushSecret" },
};
