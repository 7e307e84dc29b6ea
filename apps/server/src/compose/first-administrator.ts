import { type WriteContext, writeTuples } from "@appserver/access";
import { administratorRole } from "@appserver/contracts/authorization";
import type { AccountInvitations, InvitationLink } from "@appserver/driver";

const validMs = 3_600_000;

/**
 * Makes the account of the first administrator if there is no account yet, with its role. Returns the link that completes it; undefined
 * if there is nothing to do, or another link is valid.
 */
export function inviteFirstAdministrator(
  accounts: AccountInvitations,
  context: WriteContext,
): Promise<InvitationLink | undefined> {
  return accounts.inviteFirst(validMs, (userId) => makeAdministrator(context, userId));
}

/** Gives a user the role of administrators. */
export function makeAdministrator(context: WriteContext, userId: string): Promise<void> {
  const tuple = { user: `user:${userId}`, relation: "assignee", object: administratorRole };
  return writeTuples(context, { writes: [tuple] }, { actor: "operator" });
}
