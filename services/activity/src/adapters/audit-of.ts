import type { AuditedUser } from "@appserver/kernel";
import type { AuditRecord } from "@appserver/kernel/ports";

/** The audit entry of what a user did with an app's activity. Details never hold inputs or outputs. */
export function auditOf(
  verb: "trigger" | "cancel" | "schedule" | "unschedule",
  { appName, activity }: { readonly appName: string; readonly activity: string },
  by: AuditedUser,
  details: Readonly<Record<string, string>>,
): AuditRecord {
  const target = `app:${appName}`;
  return { ...by, action: `activity.${verb}`, target, outcome: "success", details: { activity, ...details } };
}
