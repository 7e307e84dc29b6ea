/** The user of containers whose app declares none (docs/interface/manifest.md#user). */
export const defaultContainerUser = "65532:65532";
export const containerUserForm = "a user id, a user id and a group id as in 1000:1000, or a user name of the image";

const numeric = /^(?<uid>0|[1-9][0-9]{0,9})(?::(?<gid>0|[1-9][0-9]{0,9}))?$/;
/** Names as `useradd` accepts them. */
const named = /^[a-z_][a-z0-9_-]{0,31}$/;
/** Linux reserves 2^32 - 1; Docker refuses ids above this one. */
const highestId = 2_147_483_647;

/** Returns whether an app may declare this user, apart from the permission that root needs. */
export function isContainerUser(user: string): boolean {
  const ids = numeric.exec(user)?.groups;
  if (!ids) return named.test(user);
  return Number(ids["uid"]) <= highestId && Number(ids["gid"] ?? 0) <= highestId;
}

/** Returns whether the user is root by its name, its id or its group. Which ids another name has is known to the image alone. */
export function isRootUser(user: string): boolean {
  const ids = numeric.exec(user)?.groups;
  return user === "root" || ids?.["uid"] === "0" || ids?.["gid"] === "0";
}

/** Returns a user id with the group of the same id if it has none: engines take the group of root for an id that the image lacks. */
export function userWithGroup(user: string): string {
  return /^\d+$/.test(user) ? `${user}:${user}` : user;
}
