import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import type { FieldViolation } from "@appserver/kernel";
import type { AppCertificate } from "../certificate.ts";
import { checkApi } from "./check-api.ts";
import { checkAssets } from "./check-assets.ts";
import { checkIdentity, isHookName, quote } from "./check-identity.ts";
import { checkDependencies, checkPermissions } from "./check-permissions.ts";
import { checkSettings } from "./check-settings.ts";
import { checkUi } from "./check-ui.ts";
import { Violations } from "./violations.ts";

export interface ValidationRules {
  /** Semantic version of the platform. */
  readonly platformVersion: string;
  /** Epoch ms, for the certificate's dates. */
  readonly now: number;
  readonly allowUnsigned: boolean;
}

export interface ValidationResult {
  readonly violations: readonly FieldViolation[];
  readonly warnings: readonly FieldViolation[];
  /** Present when the manifest carried one that could be read. */
  readonly certificate: AppCertificate | undefined;
}

/** Holds a manifest against every rule in one pass and reports all that is wrong (design/behaviour "Registration"). */
export function validateManifest(manifest: AppManifest, rules: ValidationRules): ValidationResult {
  const violations = new Violations();
  const certificate = checkIdentity(manifest, rules.platformVersion, rules.now, violations);
  if (violations.check(manifest.webApp !== undefined, "web_app", "is required")) {
    const parts = manifest.webApp?.ui !== undefined || manifest.webApp?.api !== undefined;
    violations.check(parts, "web_app", "needs ui, api or both");
  }
  checkAssets(manifest, { certificate, allowUnsigned: rules.allowUnsigned }, violations);
  checkUi(manifest, violations);
  checkApi(manifest, violations);
  checkPermissions(manifest, violations);
  checkDependencies(manifest, violations);
  checkSettings(manifest, violations);
  checkHooksAndActivities(manifest, violations);
  return { violations: violations.found, warnings: violations.warnings, certificate };
}

const activityName = /^[a-z][a-z0-9_-]{0,62}$/;

function checkHooksAndActivities(manifest: AppManifest, violations: Violations): void {
  for (const [index, hook] of manifest.hooks.entries()) {
    violations.check(isHookName(hook.hookName), `hooks[${index}].hook_name`, `is no hook name: ${quote(hook.hookName)}`);
    violations.check(
      hook.path === "" || /^\/[^\s#\\]*$/.test(hook.path),
      `hooks[${index}].path`,
      `must start with "/", got ${quote(hook.path)}`,
    );
  }
  const seen = new Set<string>();
  for (const [index, activity] of manifest.activities.entries()) {
    const field = `activities[${index}]`;
    violations.check(
      activityName.test(activity.name),
      `${field}.name`,
      `must match ${activityName.source}, got ${quote(activity.name)}`,
    );
    violations.check(!seen.has(activity.name), `${field}.name`, `${quote(activity.name)} is there twice`);
    seen.add(activity.name);
    violations.check(activity.timeoutMs === undefined || activity.timeoutMs > 0, `${field}.timeout_ms`, "must be more than 0");
    violations.check(
      activity.maxRetries === undefined || activity.maxRetries >= 0,
      `${field}.max_retries`,
      "must not be negative",
    );
    violations.check(
      activity.concurrency === undefined || activity.concurrency > 0,
      `${field}.concurrency`,
      "must be more than 0",
    );
    violations.check(isJsonObject(activity.inputSchema), `${field}.input_schema`, "must be a JSON Schema object");
  }
}

function isJsonObject(text: string | undefined): boolean {
  if (text === undefined || text === "") return true;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
