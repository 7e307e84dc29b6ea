import { queryOptions } from "@tanstack/react-query";
import { send } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import * as operations from "../../generated/operations.ts";

export type Tuple = operations.TupleFragment;
export type SourcedTuple = operations.SourcedTupleFragment;
export type Invitation = operations.InvitePersonMutation["invitePerson"];
export type Group = operations.GroupsQuery["groups"][number];
export type Subject = operations.PersonFragment;
export type Role = operations.RolesQuery["roles"][number];
export type Member = operations.AppMembersQuery["appMembers"][number];
export type Holder = operations.PermissionHoldersQuery["permissionHolders"][number];
export type PersonAccount = NonNullable<operations.PersonAccountQuery["personAccount"]>;
export type Held = operations.HeldPermissionsQuery["heldPermissions"][number];

export const rolesQuery = queryOptions({
  queryKey: ["access", "roles"],
  queryFn: async () => (await send(operations.RolesDocument, {})).roles,
});

export const groupsQuery = queryOptions({
  queryKey: ["access", "groups"],
  queryFn: async () => (await send(operations.GroupsDocument, {})).groups,
});

export function membersQuery(appName: string) {
  return queryOptions({
    queryKey: ["access", "members", appName],
    queryFn: async () => (await send(operations.AppMembersDocument, { appName })).appMembers,
  });
}

export function holdersQuery(permission: string, appName: string | undefined) {
  return queryOptions({
    queryKey: ["access", "holders", permission, appName ?? null],
    queryFn: async () =>
      (await send(operations.PermissionHoldersDocument, { permission, appName: appName ?? null })).permissionHolders,
  });
}

export function heldQuery(subject: string) {
  return queryOptions({
    queryKey: ["access", "held", subject],
    queryFn: async () => (await send(operations.HeldPermissionsDocument, { subject })).heldPermissions,
  });
}

/** Null if the identity provider makes its accounts itself. */
export function personQuery(id: string) {
  return queryOptions({
    queryKey: ["access", "person", id],
    queryFn: async () => (await send(operations.PersonAccountDocument, { id })).personAccount ?? null,
  });
}

/** The audit log has who asked, so that the result is not kept. */
export async function records(id: string): Promise<unknown> {
  return (await send(operations.PersonRecordsDocument, { id })).personRecords;
}

export async function setActive(id: string, isActive: boolean): Promise<void> {
  await send(operations.SetPersonActiveDocument, { id, isActive });
  await readAgain();
}

export async function removePerson(id: string): Promise<void> {
  await send(operations.RemovePersonDocument, { id });
  await readAgain();
}

/** The link is a secret. It is returned once. */
export async function invite(person: operations.InvitePersonMutationVariables): Promise<Invitation> {
  const { invitePerson } = await send(operations.InvitePersonDocument, person);
  await readAgain();
  return invitePerson;
}

export async function grant(tuple: Tuple): Promise<void> {
  await send(operations.GrantAccessDocument, tuple);
  await readAgain();
}

export async function revoke(tuple: Tuple): Promise<void> {
  await send(operations.RevokeAccessDocument, tuple);
  await readAgain();
}

/** A change may concern the viewer. */
export async function readAgain(): Promise<void> {
  void queryClient.invalidateQueries({ queryKey: ["viewer"] });
  void queryClient.invalidateQueries({ queryKey: ["frontends"] });
  await queryClient.invalidateQueries({ queryKey: ["access"] });
}
