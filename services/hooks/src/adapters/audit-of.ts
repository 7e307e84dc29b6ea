import type { AuditedUser } from "@appserver/kernel";
import type { AuditRecord } from "@appserver/kernel/ports";

/** The audit entry of what a user did to a hook. Details never hold the data of an event. */
export function auditOf(
  verb: "trigger" | "resend" | "recover",
  hookName: string,
  by: AuditedUser,
  details: Readonly<Record<string, string | number>>,
): AuditRecord {
  return { ...by, action: `hook.${verb}`, target: `hook:${hookName}`, outcome: "success", details };
}
