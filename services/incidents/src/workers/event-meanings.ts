import type { SystemEventRecord } from "@appserver/kernel/ports";
import { appNamed } from "../domain/incident.ts";
import type { EventMeaning } from "../ports.ts";

/** The types of events that begin or end an incident. */
export const meaningfulTypes = ["APP_ROLLED_BACK", "BACKUP_COMPLETED", "BACKUP_FAILED"] as const;

const backup = { kind: "BACKUP_FAILED", subject: "backup" } as const;

/** Returns what an event means for incidents. Undefined: nothing. */
export function meaningOf({ type, message, appName, data }: SystemEventRecord): EventMeaning | undefined {
  if (type === "BACKUP_FAILED") return { ...backup, effect: "opens", message };
  if (type === "BACKUP_COMPLETED") return { ...backup, effect: "closes", message };
  const { isAutomatic, fromVersion } = data as { readonly isAutomatic?: unknown; readonly fromVersion?: unknown };
  if (type !== "APP_ROLLED_BACK" || isAutomatic !== true || appName === undefined) return undefined;
  const subject = `${appName} ${typeof fromVersion === "string" ? fromVersion : ""}`.trimEnd();
  return { kind: "UPGRADE_ROLLED_BACK", subject, effect: "passes", message, app: appNamed(appName) };
}
