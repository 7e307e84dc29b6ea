import { isPermission, isPlatformPermission, permissionForm, readableSubject } from "@appserver/contracts/authorization";
import { AppError, type BatchedPermissions, type Call, type Caller, invalidField, subjectOf } from "@appserver/kernel";

const maxPermissions = 100;
const readable = new RegExp(`^${readableSubject}$`);

/** A caller of an app, as the app received it: one of both is empty. */
export interface CallerOfApp {
  readonly userId: string;
  readonly appName: string;
}

/**
 * Returns those of the calling app's own permissions that one of its callers holds, in the order of `permissions`. Throws PERMISSION_DENIED
 * for callers that are not apps. Service accounts cannot be checked: what they may do depends on the token of each request.
 */
export async function checkOwnPermissions(
  { permissions: checks }: { readonly permissions: BatchedPermissions },
  { userId, appName, permissions }: CallerOfApp & { readonly permissions: readonly string[] },
  { caller }: Call,
): Promise<readonly string[]> {
  if (caller.kind !== "app")
    throw new AppError("PERMISSION_DENIED", "only an app can check which of its permissions its callers hold");
  const checked = checkedCaller({ userId, appName });
  if (permissions.length < 1 || permissions.length > maxPermissions)
    throw invalidField("permissions", `must have 1 to ${maxPermissions} entries, got ${permissions.length}`);
  for (const [index, permission] of permissions.entries()) {
    if (!isPermission(permission)) throw invalidField(`permissions[${index}]`, `must be ${permissionForm}`);
    if (isPlatformPermission(permission))
      throw invalidField(
        `permissions[${index}]`,
        `must be a permission of ${caller.name}: ${permission} is one of the platform`,
      );
  }
  const held = await checks.allowedEach(
    checked,
    permissions.map((permission) => ({ permission, owner: caller.name })),
  );
  return permissions.filter((_, index) => held[index] === true);
}

function checkedCaller({ userId, appName }: CallerOfApp): Caller {
  if ((userId === "") === (appName === "")) throw invalidField("userId", "or appName must be given, and not both");
  const checked: Caller =
    appName === "" ? { kind: "user", id: userId, displayName: "" } : { kind: "app", name: appName, id: "" };
  if (isReadableCaller(checked)) return checked;
  throw invalidField(
    appName === "" ? "userId" : "appName",
    `must be the id of a user or the name of an app, as the app received it`,
  );
}

/** Returns whether authorization can name the caller as a subject. */
export function isReadableCaller(caller: Caller): boolean {
  return readable.test(subjectOf(caller) ?? "");
}
