import { machineHolds } from "@appserver/contracts/authorization";
import type { HeldPermission } from "./explain-access.ts";

/** Returns whether an explained permission counts for a service account. A tuple of its own is the shortest explanation. */
export function isHeldByMachine({ permission, appName, via }: Pick<HeldPermission, "permission" | "appName" | "via">): boolean {
  const rule = machineHolds({ permission, appName });
  return rule === "as others" || (rule === "by name" && via.length === 1);
}
