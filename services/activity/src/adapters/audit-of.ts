import type { AuditedUser } from "@appserver/kernel";
import type { AuditRecord } from "@appserver/kernel/ports";

/** Returns the audit entry for an action of a user on an app's activity. Details never contain inputs or outputs. */
export function auditOf(
  verb: "trigger" | "cancel" | "schedule" | "unschedule",
  { appName, activity }: { readonly appName: string; readonly activity: string },
  by: AuditedUser,
  details: Readonly<Record<string, string>>,
): AuditRecord {
  const target = `app:${appName}`;
  return { ...by, action: `activity.${verb}`, target, outcome: "success", details: { activity, ...details } };
}
