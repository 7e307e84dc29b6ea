import { createHash } from "node:crypto";
import type { PlanStep } from "./install-plan.ts";

/** Returns the digest of a plan, hex. It covers each step: action, app, version, manifest, and the manifest it replaces. */
export function planDigest(steps: readonly PlanStep[]): string {
  const content = steps.map(({ action, appName, version, manifestDigest, replaces }) => [
    action,
    appName,
    version,
    manifestDigest,
    replaces?.manifestDigest ?? null,
  ]);
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}
