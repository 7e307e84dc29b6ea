import { permissionOf, scopeObject, type Tuple, usersetOf } from "@appserver/contracts/authorization";
import type { Authorization } from "../ports.ts";

/** A subject that holds a permission, and the tuples that give it, from the subject to the permission. */
export interface Explained {
  /** `user:alice`, `user:*`, `app:com.example.notes` */
  readonly subject: string;
  readonly via: readonly Tuple[];
}

/** A permission that a subject holds. */
export interface HeldPermission {
  readonly permission: string;
  readonly appName: string | undefined;
  readonly via: readonly Tuple[];
}

type Reader = Pick<Authorization, "read">;

/** The relations of an app that each link of a scope includes. */
const appLevels: Readonly<Record<string, readonly string[]>> = {
  viewer_app: ["viewer", "editor", "owner"],
  editor_app: ["editor", "owner"],
  owner_app: ["owner"],
};
const holding: ReadonlySet<string> = new Set(["holder", "can_grant"]);
/** Those who have one of them to an object have what the object has. */
const memberships: ReadonlySet<string> = new Set(["assignee", "member"]);
/** More explanations than this are left out: a person reads them. */
export const maxExplained = 1_000;

/**
 * Returns who holds a permission, each subject once, with the shortest chain of tuples (`contracts/authorization/model.fga`). At
 * most {@link maxExplained}.
 */
export async function explainPermission(
  reader: Reader,
  permission: string,
  appName: string | undefined,
): Promise<readonly Explained[]> {
  const found = new Map<string, Explained>();
  const seen = new Set<string>();
  let open: readonly Explained[] = await grantsOf(reader, scopeObject(permission, appName));
  while (open.length > 0 && found.size < maxExplained) {
    const next: Explained[] = [];
    for (const each of open) {
      if (seen.has(each.subject)) continue;
      seen.add(each.subject);
      const userset = usersetOf(each.subject);
      if (userset)
        for (const tuple of await reader.read(userset)) next.push({ subject: tuple.user, via: [tuple, ...each.via] });
      else found.set(each.subject, each);
    }
    open = next;
  }
  return [...found.values()].slice(0, maxExplained);
}

/**
 * Returns the permissions that a subject holds, each once, with the shortest chain of tuples, ordered by app and name. At most
 * {@link maxExplained}.
 */
export async function explainSubject(reader: Reader, subject: string): Promise<readonly HeldPermission[]> {
  const found = new Map<string, HeldPermission>();
  const seen = new Set<string>();
  const everyone = subject.startsWith("user:") ? [{ subject: "user:*", via: [] }] : [];
  let open: readonly Explained[] = [{ subject, via: [] }, ...everyone];
  while (open.length > 0) {
    const next: Explained[] = [];
    for (const each of open) {
      if (seen.has(each.subject)) continue;
      seen.add(each.subject);
      for (const tuple of await reader.read({ user: each.subject })) {
        const via = [...each.via, tuple];
        if (memberships.has(tuple.relation)) next.push({ subject: `${tuple.object}#${tuple.relation}`, via });
        else if (holding.has(tuple.relation)) keep(found, tuple.object, via);
        else if (tuple.object.startsWith("app:")) await keepScopesOf(reader, found, tuple, via);
      }
    }
    open = next;
  }
  const order = ({ appName = "", permission }: HeldPermission): string => `${appName} ${permission}`;
  return [...found.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1)).slice(0, maxExplained);
}

async function grantsOf(reader: Reader, object: string): Promise<readonly Explained[]> {
  const grants: Explained[] = [];
  for (const tuple of await reader.read({ object })) {
    if (holding.has(tuple.relation)) grants.push({ subject: tuple.user, via: [tuple] });
    const levels = appLevels[tuple.relation];
    if (!levels) continue;
    for (const member of await reader.read({ object: tuple.user }))
      if (levels.includes(member.relation)) grants.push({ subject: member.user, via: [member, tuple] });
  }
  return grants.sort((a, b) => a.via.length - b.via.length);
}

function keep(found: Map<string, HeldPermission>, object: string, via: readonly Tuple[]): void {
  const scope = permissionOf(object);
  if (scope && !found.has(object)) found.set(object, { ...scope, via });
}

/** Keeps the scopes that are linked to the level of the app that `member` gives. */
async function keepScopesOf(
  reader: Reader,
  found: Map<string, HeldPermission>,
  member: Tuple,
  via: readonly Tuple[],
): Promise<void> {
  for (const link of await reader.read({ user: member.object, object: "permission_scope:" }))
    if (appLevels[link.relation]?.includes(member.relation)) keep(found, link.object, [...via, link]);
}
