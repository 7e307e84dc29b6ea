import { groupType, type ResourceType, userType } from "./attribute.ts";
import type { StoredGroup, StoredMember } from "./group-table.ts";
import { etagOf, type Stored } from "./resources.ts";
import type { StoredUser } from "./user-table.ts";
import type { JsonObject } from "./values.ts";

/** Returns a user as clients see it. `base`: the URL of `/scim/v2`. */
export function userRepresentation(user: StoredUser, base: string): JsonObject {
  const { userName, externalId, displayName, name, emails } = user.profile;
  return {
    schemas: [userType.schema],
    id: user.id,
    externalId,
    userName,
    name: Object.keys(name).length === 0 ? undefined : name,
    displayName,
    emails: emails.length === 0 ? undefined : emails,
    active: user.isActive,
    groups: user.groups.map((group) => reference(base, groupType, group)),
    meta: metaOf(userType, user, base),
  };
}

export function groupRepresentation(
  group: StoredGroup,
  members: readonly StoredMember[] | undefined,
  base: string,
): JsonObject {
  return {
    schemas: [groupType.schema],
    id: group.id,
    externalId: group.externalId,
    displayName: group.displayName,
    members: members
      ?.filter(({ groupId }) => groupId === group.id)
      .map((member) => ({ ...reference(base, userType, member), type: userType.name })),
    meta: metaOf(groupType, group, base),
  };
}

export function locationOf({ endpoint }: ResourceType, id: string, base: string): string {
  return `${base}${endpoint}/${id}`;
}

function reference(base: string, type: ResourceType, { id, name }: { readonly id: string; readonly name: string }): JsonObject {
  return { value: id, $ref: locationOf(type, id, base), display: name };
}

function metaOf(type: ResourceType, stored: Stored, base: string): JsonObject {
  return {
    resourceType: type.name,
    created: stored.createdAt.toISOString(),
    lastModified: stored.modifiedAt.toISOString(),
    location: locationOf(type, stored.id, base),
    version: etagOf(stored),
  };
}
