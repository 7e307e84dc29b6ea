import { mutation, type Operations, query } from "./operation.ts";
import { replies } from "./rest-endpoint.ts";

const permission = "notification:manage";
const tag = "notifications";
const one = { path: { id: "id" }, tag } as const;

/** Operations on incidents, and on the receivers of events outside of the platform. */
export const notificationOperations: Operations = {
  incidents: {
    ...query,
    permission: "event:view",
    appctl: ["incidents"],
    rest: { url: "/api/v2/incidents", tag, summary: "Lists incidents, those that last first", reply: replies.page },
  },
  notificationTargets: {
    ...query,
    permission,
    appctl: ["targets list"],
    rest: { url: "/api/v2/notification-targets", tag, summary: "Lists notification targets", reply: replies.items },
  },
  createNotificationTarget: {
    ...mutation,
    permission,
    appctl: ["targets create"],
    errors: ["CONFLICT", "INVALID_STATE"],
    rest: {
      url: "/api/v2/notification-targets",
      tag,
      summary: "Creates a notification target; the secret is shown only here",
      reply: replies.value,
    },
  },
  updateNotificationTarget: {
    ...mutation,
    permission,
    appctl: ["targets update"],
    errors: ["NOT_FOUND", "CONFLICT", "INVALID_STATE"],
    rest: {
      ...one,
      method: "PUT",
      url: "/api/v2/notification-targets/:id",
      summary: "Changes the name, the address or the types of a notification target, or enables or disables it",
      reply: replies.value,
    },
  },
  deleteNotificationTarget: {
    ...mutation,
    permission,
    appctl: ["targets delete"],
    errors: ["NOT_FOUND", "INVALID_STATE"],
    rest: {
      ...one,
      method: "DELETE",
      url: "/api/v2/notification-targets/:id",
      summary: "Deletes a notification target with its deliveries",
      reply: { kind: "wrapped", as: "id" },
    },
  },
  testNotificationTarget: {
    ...mutation,
    permission,
    appctl: ["targets test"],
    errors: ["NOT_FOUND"],
    rest: {
      ...one,
      url: "/api/v2/notification-targets/:id/test",
      summary: "Sends one message to a notification target, and waits for the response",
      reply: replies.value,
    },
  },
  notificationDeliveries: {
    ...query,
    permission,
    appctl: ["targets deliveries"],
    rest: {
      url: "/api/v2/notification-targets/:targetId/deliveries",
      path: { targetId: "targetId" },
      tag,
      summary: "Lists deliveries to a notification target",
      reply: replies.page,
    },
  },
  resendNotificationDelivery: {
    ...mutation,
    permission,
    appctl: ["targets resend"],
    errors: ["NOT_FOUND", "INVALID_STATE"],
    rest: {
      ...one,
      url: "/api/v2/notification-deliveries/:id/resend",
      summary: "Sends a delivery to a notification target again",
      reply: replies.value,
    },
  },
};
