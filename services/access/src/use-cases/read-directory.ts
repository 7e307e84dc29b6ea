import { peoplePermission } from "@appserver/contracts/authorization";
import { type Call, invalidField, type Permissions, requirePermission } from "@appserver/kernel";
import type { IdentityProvider, Person } from "../ports.ts";

export interface DirectoryContext {
  readonly identity: Pick<IdentityProvider, "find">;
  readonly permissions: Permissions;
}

const maxFound = 20;
const minTextLength = 2;
const maxTextLength = 256;
const maxIds = 100;

/**
 * Returns people who can sign in and whose name, address or id contains the text, by their names. Needs `people:read`. `limit` is 1 to 20;
 * 0 means 20.
 */
export async function findPeople(
  { identity, permissions }: DirectoryContext,
  { text, limit }: { readonly text: string; readonly limit: number },
  call: Call,
): Promise<readonly Person[]> {
  await requirePermission(permissions, call, peoplePermission);
  const search = text.trim();
  if (search.length < minTextLength || search.length > maxTextLength)
    throw invalidField("text", `must have ${minTextLength} to ${maxTextLength} characters, got ${search.length}`);
  if (limit < 0 || limit > maxFound)
    throw invalidField("limit", `must be 1 to ${maxFound}, or 0 for ${maxFound}, got ${limit}`);
  const people = await identity.find({ search, limit: limit || maxFound });
  return people
    .filter(({ isActive }) => isActive !== false)
    .slice(0, limit || maxFound)
    .sort((a, b) => a.displayName.localeCompare(b.displayName));
}

/** Returns the people with these ids, in any order and without those that do not exist. Needs `people:read`. */
export async function getPeople(
  { identity, permissions }: DirectoryContext,
  ids: readonly string[],
  call: Call,
): Promise<readonly Person[]> {
  await requirePermission(permissions, call, peoplePermission);
  if (ids.length < 1 || ids.length > maxIds)
    throw invalidField("userIds", `must have 1 to ${maxIds} entries, got ${ids.length}`);
  const long = ids.findIndex((id) => id.length > maxTextLength);
  if (long >= 0) throw invalidField(`userIds[${long}]`, `must have at most ${maxTextLength} characters`);
  return await identity.find({ ids: [...new Set(ids)] });
}
