import { isPermission, permissionForm } from "@appserver/contracts/authorization";
import { isAppName } from "@appserver/contracts/names";
import { quote } from "@appserver/contracts/patterns";
import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { constraintForms, isConstraint } from "../version-constraint.ts";
import { manifestLimits } from "./manifest-limits.ts";
import type { Violations } from "./violations.ts";

/** Adds a violation unless `text` is a valid permission. */
export function checkPermission(text: string, field: string, violations: Violations): void {
  violations.check(isPermission(text), field, `must be ${permissionForm}, got ${quote(text)}`);
}

export function checkPermissions(manifest: AppManifest, violations: Violations): void {
  const seen = new Set<string>();
  for (const [index, permission] of manifest.requiredPermissions.entries()) {
    const field = `required_permissions[${index}]`;
    checkPermission(permission.scope, `${field}.scope`, violations);
    const key = `${permission.resourceType} ${permission.scope}`;
    violations.check(!seen.has(key), `${field}.scope`, `${quote(permission.scope)} is declared twice`);
    seen.add(key);
  }
}

export function checkDependencies(manifest: AppManifest, violations: Violations): void {
  const seen = new Set<string>();
  for (const [index, dependency] of manifest.dependencies.entries()) {
    const field = `dependencies[${index}]`;
    violations.check(
      isAppName(dependency.appName),
      `${field}.app_name`,
      `must be an app name, got ${quote(dependency.appName)}`,
    );
    violations.check(dependency.appName !== manifest.name, `${field}.app_name`, "names the app itself");
    violations.check(!seen.has(dependency.appName), `${field}.app_name`, `${quote(dependency.appName)} is declared twice`);
    seen.add(dependency.appName);
    violations.check(
      dependency.kind === DependencyKind.HARD || dependency.kind === DependencyKind.SOFT,
      `${field}.kind`,
      "must be HARD or SOFT",
    );
    const constraint = dependency.versionConstraint ?? "";
    violations.check(
      constraint === "" || (constraint.length <= manifestLimits.constraintLength && isConstraint(constraint)),
      `${field}.version_constraint`,
      `must be of the form ${constraintForms}, got ${quote(constraint)}`,
    );
  }
}
