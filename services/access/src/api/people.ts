import type {
  Invitation as InvitationNode,
  MutationInvitePersonArgs,
  PersonAccount as PersonAccountNode,
} from "@appserver/contracts/graphql/types";
import type { Call } from "@appserver/kernel";
import { type InviteContext, invitePerson } from "../use-cases/invite-person.ts";
import {
  type PersonAccount,
  type PersonCommandContext,
  readPersonAccount,
  readPersonRecords,
  removePerson,
  setPersonActive,
} from "../use-cases/person-accounts.ts";

export type PeopleResolversDeps = InviteContext & PersonCommandContext;

interface OfPerson {
  readonly id: string;
}

/** Resolvers of the part of the schema about the accounts of people. They only translate. */
export function peopleResolversOf(context: PeopleResolversDeps) {
  return {
    Query: {
      personAccount: async (_: unknown, { id }: OfPerson, call: Call): Promise<PersonAccountNode | null> => {
        const account = await readPersonAccount(context, id, call);
        return account ? accountNode(account) : null;
      },
      personRecords: (_: unknown, { id }: OfPerson, call: Call): Promise<object> => readPersonRecords(context, id, call),
    },
    Mutation: {
      invitePerson: async (_: unknown, given: MutationInvitePersonArgs, call: Call): Promise<InvitationNode> => {
        const { email, name, roles, validHours, withLink } = given;
        const terms = { roles: roles ?? undefined, validHours: validHours ?? undefined, withLink: withLink ?? undefined };
        const { userId, link, expiresAt } = await invitePerson(context, { email, name: name ?? undefined, ...terms }, call);
        return { subject: { id: `user:${userId}`, displayName: name ?? null }, link: link ?? null, expiresAt };
      },
      setPersonActive: async (
        _: unknown,
        change: OfPerson & { readonly isActive: boolean },
        call: Call,
      ): Promise<PersonAccountNode> => accountNode(await setPersonActive(context, change, call)),
      removePerson: (_: unknown, { id }: OfPerson, call: Call): Promise<string> => removePerson(context, id, call),
    },
  };
}

function accountNode({ id, state, createdAt }: PersonAccount): PersonAccountNode {
  return { id, state: state.toUpperCase() as PersonAccountNode["state"], createdAt };
}
