import { DependencyKind } from "@appserver/contracts/proto/appserver/v2/common";
import type { AppManifest } from "@appserver/contracts/proto/appserver/v2/manifest";
import { constraintForms, isConstraint } from "../version-constraint.ts";
import { isAppName, quote } from "./check-identity.ts";
import type { Violations } from "./violations.ts";

const permissionPattern = /^[a-z][a-z0-9_-]{0,62}:[a-z][a-z0-9_-]{0,62}$/;

/** `<resource>:<action>` (specification §5, Authorization rule 1). */
export function isPermission(text: string): boolean {
  return permissionPattern.test(text);
}

export function checkPermissions(manifest: AppManifest, violations: Violations): void {
  const seen = new Set<string>();
  for (const [index, permission] of manifest.requiredPermissions.entries()) {
    const field = `required_permissions[${index}]`;
    violations.check(
      isPermission(permission.scope),
      `${field}.scope`,
      `must be <resource>:<action>, got ${quote(permission.scope)}`,
    );
    const key = `${permission.resourceType} ${permission.scope}`;
    violations.check(!seen.has(key), `${field}.scope`, `${quote(permission.scope)} is there twice`);
    seen.add(key);
  }
}

export function checkDependencies(manifest: AppManifest, violations: Violations): void {
  const seen = new Set<string>();
  for (const [index, dependency] of manifest.dependencies.entries()) {
    const field = `dependencies[${index}]`;
    violations.check(isAppName(dependency.appName), `${field}.app_name`, `is no app name: ${quote(dependency.appName)}`);
    violations.check(dependency.appName !== manifest.name, `${field}.app_name`, "names the app itself");
    violations.check(!seen.has(dependency.appName), `${field}.app_name`, `${quote(dependency.appName)} is there twice`);
    seen.add(dependency.appName);
    violations.check(
      dependency.kind === DependencyKind.HARD || dependency.kind === DependencyKind.SOFT,
      `${field}.kind`,
      "must be HARD or SOFT",
    );
    const constraint = dependency.versionConstraint ?? "";
    violations.check(
      constraint === "" || isConstraint(constraint),
      `${field}.version_constraint`,
      `must be of the form ${constraintForms}, got ${quote(constraint)}`,
    );
  }
}
