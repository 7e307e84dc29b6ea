import { administratorRole } from "@appserver/contracts/authorization";
import {
  AppError,
  type AuditOrigin,
  actorOf,
  auditEntry,
  type Call,
  invalidField,
  type Permissions,
  requirePermission,
} from "@appserver/kernel";
import type { Invitations, InvitedAccount, NewInvitation } from "../ports.ts";
import { isRole, type WriteContext, writeTuplesIn } from "./change-access.ts";

export interface InviteContext extends WriteContext {
  /** Undefined: the identity provider makes its accounts itself. */
  readonly people: Invitations | undefined;
  readonly permissions: Permissions;
}

export interface InvitedPerson {
  readonly email: string;
  /** The person can change it. */
  readonly name?: string | undefined;
  /** Names of roles that the account has from the start, as `easy`. */
  readonly roles?: readonly string[] | undefined;
  /** Default: a week; for administrators an hour. */
  readonly validHours?: number | undefined;
  /** Whether the link is returned in place of a letter. Default: false. */
  readonly withLink?: boolean | undefined;
}

/** How a person completes the account. */
export interface Invitation {
  readonly userId: string;
  /** Path of the platform, with a secret in its fragment. It works once. Undefined: a letter brings it. */
  readonly link: string | undefined;
  readonly expiresAt: Date;
}

const hourMs = 3_600_000;
const maxHours = 720;
const weekHours = 168;
const maxRoles = 20;

/**
 * Makes an account with roles, which its owner completes by the link of a letter, or of its maker where there are no letters. An account that was not completed yet gets another link, and the
 * earlier one is worth nothing. Needs `access:manage`. Throws INVALID_STATE if the identity provider makes its accounts itself,
 * CONFLICT for the address of an account that is complete.
 */
export async function invitePerson(context: InviteContext, person: InvitedPerson, call: Call): Promise<Invitation> {
  await requirePermission(context.permissions, call, "access:manage");
  const { email, name, roles = [], withLink = false } = person;
  const objects = roles.map((role) => `role:${role}`);
  const validHours = person.validHours ?? (objects.includes(administratorRole) ? 1 : weekHours);
  if (!Number.isInteger(validHours) || validHours < 1 || validHours > maxHours)
    throw invalidField("validHours", `must be 1 to ${maxHours}`);
  if (objects.length > maxRoles || !objects.every(isRole))
    throw invalidField("roles", `must be at most ${maxRoles} names of roles`);
  if (name !== undefined && (name.length > 100 || /\p{Cc}/u.test(name)))
    throw invalidField("name", "must have at most 100 characters, and no control characters");
  const { people, database, audit } = context;
  if (!people) throw new AppError("INVALID_STATE", "the identity provider makes its accounts itself: invite the person there");
  const invited = { email, invitedBy: actorOf(call.caller), validMs: validHours * hourMs, ...(name !== undefined && { name }) };
  const { userId, endsAt, path } = await make(people, invited, withLink);
  const target = `user:${userId}`;
  const origin: AuditOrigin = call;
  await database.transaction(async (tx) => {
    // Without the address: entries stay when the account is deleted.
    await audit.record(tx, auditEntry(origin, { action: "person.invite", target, details: { validHours } }));
    const writes = objects.map((object) => ({ user: target, relation: "assignee", object }));
    await writeTuplesIn(tx, context, { writes }, origin);
  });
  return { userId, link: path, expiresAt: endsAt };
}

async function make(
  people: Invitations,
  invited: NewInvitation,
  withLink: boolean,
): Promise<InvitedAccount & { readonly path?: string }> {
  if (withLink || !people.inviteByLetter) return await people.invite(invited);
  return await people.inviteByLetter(invited);
}
