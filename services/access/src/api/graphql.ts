import type {
  AccessTuple,
  Group as GroupNode,
  HeldPermission as HeldNode,
  PermissionHolder as HolderNode,
  AppMember as MemberNode,
  Role as RoleNode,
  Subject as SubjectNode,
} from "@appserver/contracts/graphql/types";
import { type Call, connectionOf } from "@appserver/kernel";
import { type ChangeContext, grantAccess, revokeAccess } from "../use-cases/change-access.ts";
import {
  type ReadContext,
  readGroups,
  readHeld,
  readHolders,
  readMembers,
  readRoles,
  readSubjects,
  searchPeople,
} from "../use-cases/read-access.ts";
import { grantCursor, readGrants } from "../use-cases/read-grants.ts";

interface GrantsArguments {
  readonly first?: number | null;
  readonly after?: string | null;
}

export type AccessResolversDeps = ReadContext & ChangeContext;

/** Resolvers of the part of the schema about who holds what. They only translate. */
export function resolversOf(context: AccessResolversDeps) {
  return {
    Query: {
      permissionHolders: async (
        _: unknown,
        { permission, appName }: { readonly permission: string; readonly appName?: string | null },
        call: Call,
      ): Promise<readonly HolderNode[]> => {
        return await readHolders(context, { permission, appName: appName ?? undefined }, call);
      },
      heldPermissions: async (
        _: unknown,
        { subject }: { readonly subject: string },
        call: Call,
      ): Promise<readonly HeldNode[]> => await readHeld(context, subject, call),
      grants: async (_: unknown, { first, after }: GrantsArguments, call: Call) => {
        const page = await readGrants(context, { first: first ?? undefined, after: after ?? undefined }, call);
        const present = { cursor: grantCursor, node: (tuple: AccessTuple) => tuple };
        return { ...connectionOf(page, after, present), totalCount: page.totalCount };
      },
      groups: async (_: unknown, __: unknown, call: Call): Promise<readonly GroupNode[]> => await readGroups(context, call),
      roles: async (_: unknown, __: unknown, call: Call): Promise<readonly RoleNode[]> => await readRoles(context, call),
      appMembers: async (_: unknown, { appName }: { readonly appName: string }, call: Call): Promise<readonly MemberNode[]> =>
        await readMembers(context, appName, call),
      people: async (
        _: unknown,
        { search, first }: { readonly search?: string | null; readonly first?: number | null },
        call: Call,
      ): Promise<readonly SubjectNode[]> =>
        await searchPeople(context, { search: search ?? undefined, first: first ?? undefined }, call),
      subjects: async (_: unknown, { ids }: { readonly ids: readonly string[] }, call: Call): Promise<readonly SubjectNode[]> =>
        await readSubjects(context, ids, call),
    },
    Mutation: {
      grantAccess: (_: unknown, tuple: AccessTuple, call: Call): Promise<AccessTuple> => grantAccess(context, tuple, call),
      revokeAccess: (_: unknown, tuple: AccessTuple, call: Call): Promise<AccessTuple> => revokeAccess(context, tuple, call),
    },
  };
}
