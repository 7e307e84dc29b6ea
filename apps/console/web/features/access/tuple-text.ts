import { administratorRole, groupName, permissionOf } from "@appserver/contracts/authorization";
import { i18n } from "../../i18n.ts";
import type { Held, Role, SourcedTuple, Subject, Tuple } from "./access-queries.ts";

const administrators = "platform_role:admin";
/** The role whose members are administrators, and what they are called. */
const administratorIds = new Set([administrators, administratorRole]);

/** Returns the name of a subject for people. */
export function subjectName({ id, displayName }: Subject): string {
  if (id === "user:*") return i18n.t("Everyone");
  if (administratorIds.has(id.replace(/#assignee$/, ""))) return i18n.t("Administrators");
  if (displayName) return displayName;
  const group = groupName(id);
  if (group !== undefined) return i18n.t("group {group}", { group });
  const [, kind = "", name = id] = /^(user|machine|app|role):(.+?)(?:#assignee)?$/.exec(id) ?? [];
  return kind === "user" ? name : `${kind} ${name}`.trim();
}

/** Returns what a tuple gives: "role readers", "viewer of com.example.notes". */
export function grantText({ relation, object }: Pick<Tuple, "relation" | "object">): string {
  if (administratorIds.has(object)) return i18n.t("role Administrators");
  if (relation === "assignee") return i18n.t("role {name}", { name: object.slice("role:".length) });
  if (relation === "member") return i18n.t("group {name}", { name: groupName(object) ?? object });
  if (object.startsWith("app:")) return i18n.t("{relation} of {object}", { relation, object: object.slice("app:".length) });
  const scope = permissionOf(object);
  if (!scope) return i18n.t("{relation} of {object}", { relation, object });
  if (relation === "can_grant")
    return i18n.t("every permission of {owner}", { owner: scope.appName ?? i18n.t("the platform") });
  return scope.appName === undefined
    ? scope.permission
    : i18n.t("{permission} of {appName}", { permission: scope.permission, appName: scope.appName });
}

/** Returns the steps from the subject to the permission. What the platform wrote itself is left out: the link of an app's level to its permissions, and that of the role of administrators. */
export function chainText(via: readonly Tuple[]): string {
  return via
    .filter(({ relation, user }) => !relation.endsWith("_app") && user !== `${administratorRole}#assignee`)
    .map((tuple) => (tuple.relation === "holder" ? i18n.t("granted directly") : grantText(tuple)))
    .join(" → ");
}

/** Whether `revokeAccess` accepts a tuple (docs/interface/permissions.md#people). */
export function isRevocable({ user, relation, object, source }: Tuple & Partial<Pick<SourcedTuple, "source">>): boolean {
  if (source) return false;
  if (user.startsWith("platform_role:")) return false;
  if (relation === "assignee") return object.startsWith("role:");
  if (relation === "holder") return permissionOf(object) !== undefined;
  return /^(owner|editor|viewer)$/.test(relation) && object.startsWith("app:");
}

export function tupleKey({ user, relation, object }: Tuple): string {
  return `${user} ${relation} ${object}`;
}

/** Returns the tuples that name the subject itself, or everyone. A role counts even if it gives nothing. */
export function directGrants(subject: string, held: readonly Held[], roles: readonly Role[]): readonly Tuple[] {
  const firsts = held.flatMap(({ via: [first] }) => (first ? [first] : []));
  const given = roles
    .filter(({ assignees }) => assignees.some(({ id }) => id === subject))
    .map(({ id }) => ({ user: subject, relation: "assignee", object: id }));
  return [...new Map([...given, ...firsts].map((tuple) => [tupleKey(tuple), tuple])).values()];
}

/** Returns the name of a role for people. */
export function roleTitle(role: string): string {
  return `role:${role}` === administratorRole ? i18n.t("Administrators") : role;
}

/** Returns the names of roles without their type. */
export function roleNames(roles: readonly Role[]): readonly string[] {
  return roles.map(({ id }) => id.slice("role:".length));
}
