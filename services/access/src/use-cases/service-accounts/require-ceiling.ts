import type { Tuple } from "@appserver/contracts/authorization";
import { AppError, actorOf, type Call, credentialAllows, type MachineCaller } from "@appserver/kernel";
import type { Authorization } from "../../ports.ts";
import { explainSubject, maxExplained } from "../explain-access.ts";
import { isHeldByMachine } from "../held-by-machine.ts";
import { type ServiceAccountsContext, subjectOfAccount } from "./context.ts";

/** Permissions that a refusal names. */
const maxNamed = 10;

/**
 * Throws PERMISSION_DENIED unless the caller holds everything that a token of the account would allow, with `grants` in addition to what
 * the account has (docs/interface/permissions.md#service-accounts). Throws INVALID_REQUEST if there are too many to compare.
 */
export async function requireCeiling(
  { authorization, permissions }: Pick<ServiceAccountsContext, "authorization" | "permissions">,
  machine: MachineCaller,
  grants: readonly Tuple[],
  call: Call,
): Promise<void> {
  const subject = subjectOfAccount(machine.id);
  const explained = await explainSubject(withGrants(authorization, subject, grants), subject);
  if (explained.length >= maxExplained)
    throw new AppError("INVALID_REQUEST", `the service account would hold ${maxExplained} permissions or more`);
  const given = explained.filter((each) => isHeldByMachine(each) && credentialAllows(machine, each.permission, each.appName));
  const held = await permissions.allowedEach(
    call.caller,
    given.map(({ permission, appName }) => ({ permission, owner: appName })),
  );
  const missing = given.filter((_, index) => !held[index]);
  const [first] = missing;
  if (!first) return;
  const names = missing
    .slice(0, maxNamed)
    .map(({ permission, appName }) => (appName ? `${appName}/${permission}` : permission));
  const more = missing.length > maxNamed ? ` and ${missing.length - maxNamed} more` : "";
  throw new AppError(
    "PERMISSION_DENIED",
    `${actorOf(call.caller)} may not give ${names.join(", ")}${more} to a service account: it must hold what the account is given`,
    { details: { permission: first.permission } },
  );
}

function withGrants(authorization: Pick<Authorization, "read">, subject: string, grants: readonly Tuple[]) {
  const read: Authorization["read"] = async (filter) => {
    const stored = await authorization.read(filter);
    return filter.user === subject ? [...stored, ...grants] : stored;
  };
  return { read };
}
