import { type WriteContext, writeTuples } from "@appserver/access";
import { administratorRole } from "@appserver/contracts/authorization";
import type { Accounts, InvitationLink } from "@appserver/driver";

export interface FirstAdministratorOptions {
  readonly accounts: Accounts;
  /** Whether an earlier link that is valid is replaced. */
  readonly renews: boolean;
  /** Shows the link. It is a secret, so that no log has it. */
  readonly onLink: (link: InvitationLink) => void;
}

const validMs = 3_600_000;

/** Makes the account of the first administrator, with its role, if there is no account yet, and shows the link that completes it. */
export async function inviteFirstAdministrator(
  { accounts, renews, onLink }: FirstAdministratorOptions,
  context: WriteContext,
): Promise<void> {
  const link = await accounts.inviteFirst({ validMs, renews, prepare: (userId) => makeAdministrator(context, userId) });
  if (link) onLink(link);
}

/** Gives a user the role of administrators. */
export function makeAdministrator(context: WriteContext, userId: string): Promise<void> {
  const tuple = { user: `user:${userId}`, relation: "assignee", object: administratorRole };
  return writeTuples(context, { writes: [tuple] }, { actor: "operator" });
}
