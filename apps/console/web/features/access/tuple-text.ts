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

/** What subjects are called, by their ids: `app:com.example.notes`. */
export type Names = ReadonlyMap<string, string>;

const levels: Readonly<Record<string, string>> = {
  owner: i18n.t("Owner"),
  editor: i18n.t("Editor"),
  viewer: i18n.t("Viewer"),
};

/** Returns the name of a level of an app for people. */
export function levelName(level: string): string {
  return levels[level] ?? level;
}

/** Returns what a tuple gives: "Role readers", "Viewer of Notes". */
export function grantText({ relation, object }: Pick<Tuple, "relation" | "object">, names: Names = new Map()): string {
  if (administratorIds.has(object)) return i18n.t("Role Administrators");
  if (relation === "assignee") return i18n.t("Role {name}", { name: object.slice("role:".length) });
  if (relation === "member") return i18n.t("Group {name}", { name: groupName(object) ?? object });
  const appName = (name: string): string => names.get(`app:${name}`) ?? name;
  if (object.startsWith("app:"))
    return i18n.t("{level} of {app}", { level: levelName(relation), app: appName(object.slice("app:".length)) });
  const scope = permissionOf(object);
  if (!scope) return i18n.t("{relation} of {object}", { relation, object });
  const app = scope.appName === undefined ? undefined : appName(scope.appName);
  if (relation === "can_grant") return i18n.t("Every permission of {owner}", { owner: app ?? i18n.t("the platform") });
  return app === undefined ? scope.permission : i18n.t("{permission} of {app}", { permission: scope.permission, app });
}

/** Returns the steps from the subject to the permission. What the platform wrote itself is left out: the link of an app's level to its permissions, and that of the role of administrators. */
export function chainText(via: readonly Tuple[], names: Names): string {
  return via
    .filter(({ relation, user }) => !relation.endsWith("_app") && user !== `${administratorRole}#assignee`)
    .map((tuple) => (tuple.relation === "holder" ? i18n.t("Granted directly") : grantText(tuple, names)))
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
