import { groupName, type Tuple } from "@appserver/contracts/authorization";
import type { Authorization, GroupReading, GroupReadings, MappedGrants, SqlExecutor } from "../ports.ts";
import { type GroupMap, mappedTuples } from "./apply-group-map.ts";

export interface PreviewContext {
  readonly authorization: Pick<Authorization, "read">;
  readonly readings: Pick<GroupReadings, "of">;
  readonly mapped: Pick<MappedGrants, "all">;
  readonly database: SqlExecutor;
}

/** What a group of a person gives, now and with the map. */
export interface PreviewedGroup {
  readonly name: string;
  /** Which sources have told it, and when. Empty: the person is not in it any more, or no source has told it. */
  readonly told: readonly Pick<GroupReading, "source" | "readAt">[];
  readonly grants: readonly PreviewedGrant[];
}

export interface PreviewedGrant extends Pick<Tuple, "relation" | "object"> {
  /** What the map does with it. */
  readonly change: "stays" | "begins" | "ends";
}

/** Returns what a map of groups would change for a person, without changing anything. Throws as {@link mappedTuples}. */
export async function previewGroups(
  { authorization, readings, mapped, database }: PreviewContext,
  map: GroupMap,
  userId: string,
): Promise<readonly PreviewedGroup[]> {
  const wanted = mappedTuples(map);
  const recorded = await mapped.all(database);
  const told = await readings.of(database, [userId]);
  const members = await authorization.read({ user: `user:${userId}`, relation: "member", object: "group:" });
  const objects = [...new Set(members.map(({ object }) => object))].sort();
  return await Promise.all(
    objects.map(async (object) => {
      const user = `${object}#member`;
      const isOfGroup = (tuple: Tuple): boolean => tuple.user === user;
      const stored = await authorization.read({ user });
      const name = groupName(object) ?? object;
      return {
        name,
        told: told.filter(({ groups }) => groups.includes(name)),
        grants: changesOf(stored, recorded.filter(isOfGroup), wanted.filter(isOfGroup)),
      };
    }),
  );
}

function changesOf(stored: readonly Tuple[], recorded: readonly Tuple[], wanted: readonly Tuple[]): readonly PreviewedGrant[] {
  const has = (tuples: readonly Tuple[], { relation, object }: Tuple): boolean =>
    tuples.some((each) => each.relation === relation && each.object === object);
  const begins = wanted.filter((tuple) => !has(stored, tuple));
  const grants = [...stored, ...begins].map(({ relation, object }): PreviewedGrant => {
    const tuple = { user: "", relation, object };
    if (has(begins, tuple)) return { relation, object, change: "begins" };
    return { relation, object, change: has(recorded, tuple) && !has(wanted, tuple) ? "ends" : "stays" };
  });
  return grants.sort((a, b) => (`${a.object} ${a.relation}` < `${b.object} ${b.relation}` ? -1 : 1));
}
