import type { AuditedUser } from "@appserver/kernel";
import type { AuditRecord } from "@appserver/kernel/ports";

/** Returns the audit entry for an action of a user on a hook. Details never contain the data of an event. */
export function auditOf(
  verb: "trigger" | "resend" | "recover",
  hookName: string,
  by: AuditedUser,
  details: Readonly<Record<string, string | number>>,
): AuditRecord {
  return { ...by, action: `hook.${verb}`, target: `hook:${hookName}`, outcome: "success", details };
}
