import { parseTokenScope, scopeObject } from "@appserver/contracts/authorization";
import { quote } from "@appserver/contracts/patterns";
import type { TupleFragment } from "../generated/operations.ts";
import { UsageError } from "../usage-error.ts";

export interface AccessArguments {
  readonly user: string;
  /** A relation, or a permission if there is no object. */
  readonly access: string;
  readonly object?: string | undefined;
  /** The app that has the permission. */
  readonly app?: string | undefined;
}

/**
 * Returns the tuple that the arguments of `appctl access grant` and `revoke` stand for. A permission has the form that tokens have. Throws
 * {@link UsageError} for one that has no such form, and for `--app` with anything else.
 */
export function accessTuple({ user, access, object, app }: AccessArguments): TupleFragment {
  const [relation, given] = object === undefined ? ["holder", access] : [access, object];
  if (relation === "holder" && !given.startsWith("permission_scope:"))
    return { user, relation, object: objectOfPermission(given, app) };
  if (app !== undefined)
    throw new UsageError(`--app names the app of a permission, as in notes:read, got ${quote(relation)} ${quote(given)}`);
  return { user, relation, object: given };
}

function objectOfPermission(text: string, app: string | undefined): string {
  const { permission, appName } = parseTokenScope(app === undefined ? text : `${app}/${text}`) ?? {};
  if (permission !== undefined) return scopeObject(permission, appName);
  const of = app === undefined ? "" : ` of ${quote(app)}`;
  throw new UsageError(
    `${quote(text)}${of} is not a permission: expected one of the platform as in app:view, or of an app as in <app>/notes:read, or notes:read with --app <app>. A level of an app is viewer app:<app>, a role is assignee role:<name>`,
  );
}
