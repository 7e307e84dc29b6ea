import { isPlatformPermission, parseTokenScope, permissionOf, scopeObject } from "@appserver/contracts/authorization";
import { isAppName } from "@appserver/contracts/names";
import type { AccountGrant } from "./platform-state.ts";

/** A grant as a file has it: a role, a level of an app or a permission. */
export interface GrantForm {
  readonly role?: string;
  readonly app?: string;
  readonly level?: string;
  readonly permission?: string;
}

/** Returns what a grant gives, or the problem of its form. */
export function grantOf({ role, app, level, permission }: GrantForm): AccountGrant | { readonly problem: string } {
  const given = [role, app ?? level, permission].filter((each) => each !== undefined);
  if (given.length !== 1) return { problem: "must have one of role, permission, or app with level" };
  if (role !== undefined) return { relation: "assignee", object: `role:${role}` };
  if (permission !== undefined) return permissionGrant(permission);
  if (app === undefined || level === undefined) return { problem: "must have app and level together" };
  return { relation: level, object: `app:${app}` };
}

/** Returns the form of a grant. Undefined for a tuple that no file has. */
export function formOf({ relation, object }: AccountGrant): GrantForm | undefined {
  const id = object.slice(object.indexOf(":") + 1);
  if (relation === "assignee" && object.startsWith("role:")) return { role: id };
  if (object.startsWith("app:")) return { app: id, level: relation };
  const { permission, appName } = permissionOf(object) ?? {};
  if (relation !== "holder" || permission === undefined) return undefined;
  return { permission: appName === undefined ? permission : `${appName}/${permission}` };
}

function permissionGrant(text: string): AccountGrant | { readonly problem: string } {
  const { permission, appName } = parseTokenScope(text) ?? {};
  if (permission === undefined)
    return {
      problem: `has the permission ${JSON.stringify(text)}; expected one like app:install, or com.example.notes/notes:read`,
    };
  return { relation: "holder", object: scopeObject(permission, appName) };
}

/** Returns the app that owns a permission which a manifest requires. Undefined: the platform. */
export function ownerOf(scope: string, resourceType: string): string | undefined {
  return !isPlatformPermission(scope) && isAppName(resourceType) ? resourceType : undefined;
}
