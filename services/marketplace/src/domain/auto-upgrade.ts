import type { AutoUpgrade } from "@appserver/contracts/settings";
import { isNewer } from "./releases.ts";

interface ReleaseNumber {
  readonly version: string;
  readonly revision: number;
}

/**
 * Returns whether the platform may switch an app from one release to another by itself. It always may for a newer revision of
 * the same version, which exists only with open registration. It never may for a pre-release or a higher major version.
 */
export function upgradesByItself(rule: AutoUpgrade, from: ReleaseNumber, to: ReleaseNumber): boolean {
  if (!isNewer(to, from)) return false;
  if (to.version === from.version) return true;
  if (rule === "none" || isPrerelease(to.version)) return false;
  const parts = rule === "patch" ? 2 : 1;
  return lineOf(from.version, parts) === lineOf(to.version, parts);
}

function isPrerelease(version: string): boolean {
  return version.split("+")[0]?.includes("-") === true;
}

/** Returns the first numbers of a version: "1.2" of "1.2.3". */
function lineOf(version: string, parts: number): string {
  return version.split(".", parts).join(".");
}
