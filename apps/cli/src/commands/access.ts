import { ask } from "../client.ts";
import {
  AppMembersDocument,
  GrantAccessDocument,
  type GrantFragment,
  GrantsDocument,
  GroupsDocument,
  HeldPermissionsDocument,
  InvitePersonDocument,
  type InvitePersonMutationVariables,
  PeopleDocument,
  PermissionHoldersDocument,
  type PersonFragment,
  RevokeAccessDocument,
  RolesDocument,
  type TupleFragment,
} from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { harmless } from "../harmless.ts";
import { print, printJson } from "../output.ts";
import { takeFromPages } from "../pages.ts";
import { renderTable } from "../table.ts";

/** Lists what was given directly, with what gave it if no person did. */
export async function listGrants(options: GlobalOptions): Promise<void> {
  const grants = await readGrants(options);
  const rows = grants.map(({ user, relation, object, source }) => [user, relation, object, source ?? "-"]);
  show(options, grants, "nothing is granted", ["WHO", "RELATION", "OBJECT", "BY"], rows);
}

/** Reads every tuple that was given directly. */
export function readGrants(options: GlobalOptions): Promise<readonly GrantFragment[]> {
  const limits = { limit: Number.POSITIVE_INFINITY, pageSize: 150 };
  return takeFromPages(limits, async (page) => (await ask(options, GrantsDocument, page)).grants);
}

/** Lists roles with who has them. */
export async function listRoles(options: GlobalOptions): Promise<void> {
  const { roles } = await ask(options, RolesDocument, {});
  const rows = roles.map(({ id, isAdministrator, assignees }) => [
    id,
    isAdministrator ? "yes" : "no",
    assignees.map(personText).join("\n") || "-",
  ]);
  show(options, roles, "there are no roles", ["ROLE", "ADMINISTRATORS", "WHO HAS IT"], rows);
}

/** Lists groups with their members. */
export async function listGroups(options: GlobalOptions): Promise<void> {
  const { groups } = await ask(options, GroupsDocument, {});
  const rows = groups.map(({ id, name, members }) => [id, harmless(name), members.map(personText).join("\n") || "-"]);
  show(options, groups, "there are no groups", ["GROUP", "NAME", "MEMBERS"], rows);
}

/** Invites a person, and prints the link with which the account is completed, unless a letter brings it. */
export async function inviteTo(options: GlobalOptions, invited: InvitePersonMutationVariables): Promise<void> {
  const { invitePerson } = await ask(options, InvitePersonDocument, invited);
  const { subject, link, expiresAt } = invitePerson;
  const url = link == null ? null : new URL(link, options.http).href;
  const by = url === null ? "by the link of a letter" : `at\n  ${harmless(url)}`;
  if (options.json) printJson({ subject: subject.id, link: url, expiresAt });
  else print(`${subject.id} completes the account, once and until ${expiresAt}, ${by}`);
}

/** Lists who holds a permission, of the platform or of an app, and why. */
export async function listHolders(options: GlobalOptions, permission: string, appName: string | undefined): Promise<void> {
  const { permissionHolders } = await ask(options, PermissionHoldersDocument, { permission, appName });
  const rows = permissionHolders.map(({ subject, via }) => [personText(subject), chainText(via)]);
  show(options, permissionHolders, `${permission} has no holders`, ["WHO", "BECAUSE OF"], rows);
}

/** Lists what a subject holds, and why. */
export async function listHeld(options: GlobalOptions, subject: string): Promise<void> {
  const { heldPermissions } = await ask(options, HeldPermissionsDocument, { subject });
  const rows = heldPermissions.map(({ permission, appName, via }) => [permission, appName ?? "platform", chainText(via)]);
  show(options, heldPermissions, `${subject} holds nothing`, ["PERMISSION", "OF", "BECAUSE OF"], rows);
}

/** Lists the owners, editors and viewers of an app. */
export async function listMembers(options: GlobalOptions, appName: string): Promise<void> {
  const { appMembers } = await ask(options, AppMembersDocument, { appName });
  const rows = appMembers.map(({ relation, subject }) => [relation, personText(subject)]);
  show(options, appMembers, `${appName} has no members`, ["LEVEL", "WHO"], rows);
}

/** What the platform returns at most. */
const maxPeople = 50;

/** Lists people, or searches them. */
export async function findPeople(options: GlobalOptions, search: string | undefined): Promise<void> {
  const { people } = await ask(options, PeopleDocument, { search: search ?? null, first: maxPeople });
  const rows = people.map(({ id, displayName }) => [id, displayName ?? "-"]);
  show(options, people, search === undefined ? "there are no people" : "no one matches", ["ID", "NAME"], rows);
}

/** Gives a role, a level of an app or a permission. */
export async function grantAccess(options: GlobalOptions, tuple: TupleFragment): Promise<void> {
  const { grantAccess: granted } = await ask(options, GrantAccessDocument, tuple);
  if (options.json) printJson(granted);
  else print(`${tupleText(granted)} is granted`);
}

/** Takes a role, a level of an app or a permission. */
export async function revokeAccess(options: GlobalOptions, tuple: TupleFragment): Promise<void> {
  const { revokeAccess: revoked } = await ask(options, RevokeAccessDocument, tuple);
  if (options.json) printJson(revoked);
  else print(`${tupleText(revoked)} is revoked`);
}

function show(
  options: GlobalOptions,
  value: readonly unknown[],
  none: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  if (options.json) printJson(value);
  else print(rows.length === 0 ? none : renderTable(head, rows));
}

/** Returns the name and the id of a person. */
export function personText({ id, displayName }: PersonFragment): string {
  return displayName == null ? id : `${harmless(displayName)} (${id})`;
}

function tupleText({ user, relation, object }: TupleFragment): string {
  return `${user} ${relation} ${object}`;
}

/** From the subject to the permission. */
function chainText(via: readonly TupleFragment[]): string {
  return via.map(tupleText).join("\n");
}
