import { randomBytes } from "node:crypto";

const suffix = randomBytes(3).toString("hex");

/**
 * Returns the name with a suffix of this process, such as `com.example.shop-1a2b3c`. The same name gets the same suffix. Test files
 * share a platform, and a file may run twice on it.
 */
export function uniqueName(name: string): string {
  return `${name}-${suffix}`;
}
