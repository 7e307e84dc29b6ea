import type { RootFields } from "./recorded-graphql.ts";

const at = "2026-01-02T03:04:05.000Z";
const target = {
  id: "1",
  name: "billing",
  kind: "WEBHOOK",
  address: "https://billing.example.com/",
  types: null,
  isEnabled: true,
};
const configured = { ...target, id: "2", name: "configuration:mail", kind: "MAIL", address: "team@example.com" };
const delivery = {
  id: "7",
  type: "APP_INSTALLED",
  status: "DEAD",
  attempt: 11,
  error: { code: "UPSTREAM_ERROR", message: "503" },
};
const incident = { kind: "DISK_FULL", message: "91 % are used", openedAt: at };

/** What the recorded platform answers about incidents and notification targets. */
export const recordedNotifications: RootFields = {
  notificationTargets: () => [
    { ...target, deadLetters: 1 },
    { ...configured, isConfigured: true, types: ["INCIDENT_OPENED", "INCIDENT_CLOSED"] },
  ],
  notificationDeliveries: () => ({ edges: [{ node: delivery }], pageInfo: { hasNextPage: false } }),
  createNotificationTarget: ({ kind }: { readonly kind: string }) => ({
    target,
    secret: kind === "WEBHOOK" ? "whsec_secret" : null,
  }),
  updateNotificationTarget: (given: { readonly name?: string; readonly isEnabled?: boolean }) => ({ ...target, ...given }),
  deleteNotificationTarget: ({ id }: { readonly id: string }) => id,
  testNotificationTarget: ({ id }: { readonly id: string }) =>
    id === "1" ? { isDelivered: false, error: "the receiver responded with 503" } : { isDelivered: true, durationMs: 12 },
  resendNotificationDelivery: () => ({ ...delivery, status: "PENDING" }),
  incidents: () => ({ edges: [{ node: incident }], pageInfo: { hasNextPage: false } }),
};
