import type { Tuple } from "@appserver/contracts/authorization";
import { AppError, actorOf, auditEntry, type Call, invalidField, uuidv7 } from "@appserver/kernel";
import { grantViolations, writeTuplesIn } from "../change-access.ts";
import { admitCommand, type ServiceAccountsContext, subjectOfAccount } from "./context.ts";
import { checkTerms, type IssuedToken, issuedBefore, issuedToken, issueToken, type TokenRequest } from "./issue-token.ts";
import { requireCeiling } from "./require-ceiling.ts";

/** What an account is given: a role, a level of an app, or a permission, as for `grantAccess`. */
export type AccountGrant = Pick<Tuple, "relation" | "object">;

export interface AccountRequest extends TokenRequest {
  readonly name: string;
  readonly grants: readonly AccountGrant[];
}

const validName = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/;
const maxGrants = 50;
const maxAccounts = 500;

/**
 * Creates a service account with its first token. Needs `access:manage`, and everything that the token allows. Throws CONFLICT for a
 * name that is taken, and INVALID_STATE for too many accounts.
 */
export async function createServiceAccount(
  context: ServiceAccountsContext,
  { name, grants, ...request }: AccountRequest,
  call: Call,
): Promise<IssuedToken> {
  const attempt = { action: "service_account.create", target: "service-accounts", details: { name } } as const;
  const earlier = await admitCommand(context, attempt, call);
  if (earlier) return await issuedBefore(context, earlier);
  if (!validName.test(name))
    throw invalidField("name", "must be 1 to 63 of a-z, 0-9, '.', '_' and '-', with a letter or digit at both ends");
  const id = uuidv7();
  const tuples = tuplesOf(id, grants);
  const terms = checkTerms(request, context.clock.now());
  // Other tokens of the account may allow all that it holds, so that the scopes of this one do not count.
  await requireCeiling(context, { kind: "machine", id, name, tokenId: "" }, tuples, call);
  const issued = await context.database.transaction(async (tx) => {
    await context.accounts.add(tx, { id, name, createdBy: actorOf(call.caller) }, maxAccounts);
    const target = subjectOfAccount(id);
    await context.audit.record(tx, auditEntry(call, { action: "service_account.create", target, details: { name } }));
    const first = await issueToken(tx, context, { id, name }, terms, call);
    if (tuples.length > 0) await writeTuplesIn(tx, context, { writes: tuples }, call);
    return first;
  });
  return await issuedToken(context, id, issued);
}

/** Throws INVALID_REQUEST for a grant that `grantAccess` refuses as well. */
function tuplesOf(id: string, grants: readonly AccountGrant[]): readonly Tuple[] {
  if (grants.length > maxGrants) throw invalidField("grants", `must be at most ${maxGrants}`);
  const tuples = grants.map(({ relation, object }) => ({ user: subjectOfAccount(id), relation, object }));
  const violations = tuples.flatMap((tuple, index) =>
    grantViolations(tuple).map(({ field, message }) => ({ field: `grants[${index}].${field}`, message })),
  );
  const [first] = violations;
  if (first) throw new AppError("INVALID_REQUEST", `${first.field} ${first.message}`, { violations });
  return tuples;
}
