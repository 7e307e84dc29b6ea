import { groupName, type Tuple } from "@appserver/contracts/authorization";
import type { GroupReading, GroupReadings, MappedGrants, SqlExecutor } from "../ports.ts";

/** A tuple that something else than a person wrote has its source. */
export interface SourcedTuple extends Tuple {
  /** Of membership in a group: who told it, `oidc:<provider>` or `scim`. Of what a group is given: `identity.groups`. */
  readonly source?: string;
  /** When the source told it last. */
  readonly readAt?: Date;
}

export interface SourcesContext {
  readonly readings: Pick<GroupReadings, "of">;
  readonly mapped: Pick<MappedGrants, "all">;
  readonly database: SqlExecutor;
}

/** Of the tuples that the option wrote. */
export const mapSource = "identity.groups";

/** Adds the sources of tuples to explanations. */
export async function withSources<T extends { readonly via: readonly Tuple[] }>(
  { readings, mapped, database }: SourcesContext,
  explained: readonly T[],
): Promise<readonly (T & { readonly via: readonly SourcedTuple[] })[]> {
  const tuples = explained.flatMap(({ via }) => via);
  const members = tuples.filter(({ relation }) => relation === "member").map(({ user }) => user.slice("user:".length));
  const isGroup = ({ user }: Tuple): boolean => user.startsWith("group:");
  const told = members.length === 0 ? [] : await readings.of(database, [...new Set(members)]);
  const byMap = new Set((tuples.some(isGroup) ? await mapped.all(database) : []).map(keyOf));
  const sourced = (tuple: Tuple): SourcedTuple => {
    if (tuple.relation === "member") return { ...tuple, ...readingOf(told, tuple) };
    return byMap.has(keyOf(tuple)) ? { ...tuple, source: mapSource } : tuple;
  };
  return explained.map((each) => ({ ...each, via: each.via.map(sourced) }));
}

/** Returns the latest reading that says so. */
function readingOf(told: readonly GroupReading[], { user, object }: Tuple): Pick<SourcedTuple, "source" | "readAt"> {
  const name = groupName(object) ?? "";
  const [latest] = told
    .filter(({ userId, groups }) => user === `user:${userId}` && groups.includes(name))
    .sort((a, b) => b.readAt.getTime() - a.readAt.getTime());
  return latest ? { source: latest.source, readAt: latest.readAt } : {};
}

export function keyOf({ user, relation, object }: Tuple): string {
  return `${user} ${relation} ${object}`;
}
