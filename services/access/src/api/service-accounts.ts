import type {
  IssuedServiceAccountToken as IssuedNode,
  MutationCreateServiceAccountArgs,
  MutationCreateServiceAccountTokenArgs,
  ServiceAccount as ServiceAccountNode,
} from "@appserver/contracts/graphql/types";
import type { Call } from "@appserver/kernel";
import type { ServiceAccount } from "../ports.ts";
import { type ServiceAccountsContext, subjectOfAccount } from "../use-cases/service-accounts/context.ts";
import { createServiceAccount } from "../use-cases/service-accounts/create-service-account.ts";
import { deleteServiceAccount, revokeToken } from "../use-cases/service-accounts/end-service-account.ts";
import { createToken, type IssuedToken, type TokenRequest } from "../use-cases/service-accounts/issue-token.ts";
import { readServiceAccounts } from "../use-cases/service-accounts/read-service-accounts.ts";

export type ServiceAccountResolversDeps = ServiceAccountsContext;

/** Resolvers of the part of the schema about service accounts. They only translate. */
export function serviceAccountResolversOf(context: ServiceAccountResolversDeps) {
  return {
    Query: {
      serviceAccounts: async (_: unknown, __: unknown, call: Call): Promise<readonly ServiceAccountNode[]> =>
        (await readServiceAccounts(context, call)).map(accountNode),
    },
    Mutation: {
      createServiceAccount: async (
        _: unknown,
        { name, grants, ...request }: MutationCreateServiceAccountArgs,
        call: Call,
      ): Promise<IssuedNode> =>
        issuedNode(await createServiceAccount(context, { name, grants: grants ?? [], ...termsOf(request) }, call)),
      createServiceAccountToken: async (
        _: unknown,
        { id, ...request }: MutationCreateServiceAccountTokenArgs,
        call: Call,
      ): Promise<IssuedNode> => issuedNode(await createToken(context, { id, ...termsOf(request) }, call)),
      revokeServiceAccountToken: (_: unknown, ended: { readonly id: string; readonly tokenId: string }, call: Call) =>
        revokeToken(context, ended, call),
      deleteServiceAccount: (_: unknown, { id }: { readonly id: string }, call: Call) =>
        deleteServiceAccount(context, id, call),
    },
  };
}

function termsOf({ scopes, expiresAt }: Pick<MutationCreateServiceAccountTokenArgs, "scopes" | "expiresAt">): TokenRequest {
  return { scopes: scopes ?? undefined, expiresAt: expiresAt == null ? undefined : new Date(expiresAt) };
}

function accountNode(account: ServiceAccount): ServiceAccountNode {
  return { ...account, subject: subjectOfAccount(account.id) };
}

function issuedNode({ account, token, secret }: IssuedToken): IssuedNode {
  return { account: accountNode(account), token, secret: secret ?? null };
}
