import { randomBytes } from "node:crypto";

/**
 * Returns an app name that no other run has: `com.example.crashing-1a2b3c` for `crashing`. For files that run more than once on a
 * platform that other files use: an app of an earlier run belongs to another key.
 */
export function uniqueName(label: string): string {
  return `com.example.${label}-${randomBytes(3).toString("hex")}`;
}
