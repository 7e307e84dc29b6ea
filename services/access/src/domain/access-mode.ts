import { AppError, type Caller } from "@appserver/kernel";

/**
 * Values of `APPSERVER_GRAPHQL_AUTH` (docs/interface/permissions.md#access-modes). `off`: callers without credentials act as
 * the platform itself. `optional`: they stay anonymous and have no permission. `required`: they are refused.
 */
export type AccessMode = "off" | "optional" | "required";

/** Applies the access mode to callers without credentials. Other callers pass in every mode. Throws AUTHENTICATION_REQUIRED. */
export function admit(caller: Caller, mode: AccessMode): Caller {
  if (caller.kind !== "anonymous" || mode === "optional") return caller;
  if (mode === "off") return { kind: "system", reason: "authentication is off" };
  throw new AppError(
    "AUTHENTICATION_REQUIRED",
    "a session, the token of a service account or an app's signature is needed here",
  );
}
