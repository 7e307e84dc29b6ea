import { groupObject, type Tuple } from "@appserver/contracts/authorization";
import { AppError } from "@appserver/kernel";
import type { MappedGrants } from "../ports.ts";
import { writeTuplesIn } from "./change-access.ts";
import { administratorTuples, keepsAdministrator, lockAdministrators } from "./last-administrator.ts";
import type { GroupsContext } from "./synchronise-groups.ts";
import { mapSource } from "./tuple-sources.ts";

/** What groups are given, by their names: `role:<name>`, or `app:<name>#<level>`. */
export type GroupMap = Readonly<Record<string, readonly string[]>>;

export interface GroupMapContext extends Omit<GroupsContext, "readings"> {
  readonly mapped: MappedGrants;
}

/** Returns the tuples of the option `identity.groups`. Throws INVALID_REQUEST for a group whose name cannot be written as an id. */
export function mappedTuples(map: GroupMap): readonly Tuple[] {
  return Object.entries(map).flatMap(([name, given]) => {
    const group = groupObject(name);
    if (group === undefined)
      throw new AppError(
        "INVALID_REQUEST",
        `identity.groups: ${JSON.stringify(name)} is empty, or too long for the name of a group`,
      );
    return given.map((text) => {
      const [object = "", relation = "assignee"] = text.split("#");
      return { user: `${group}#member`, relation, object };
    });
  });
}

/**
 * Makes the grants of groups those that the option says. What was given to a group by hand stays. If there were no administrator
 * without a grant, it stays, too.
 */
export async function applyGroupMap(context: GroupMapContext, map: GroupMap): Promise<void> {
  const { database, authorization, mapped, logger } = context;
  const wanted = mappedTuples(map);
  await database.transaction(async (tx) => {
    await mapped.lock(tx);
    const before = await mapped.all(tx);
    const added = await missingOf(context, wanted.filter(isMissingIn(before)));
    let removed = before.filter(isMissingIn(wanted));
    if (removed.length > 0) {
      await lockAdministrators(tx);
      const tuples = await administratorTuples({ authorization });
      if (!(await keepsAdministrator(context, tuples, removed))) {
        removed = removed.filter(isMissingIn(tuples));
        logger.warn(
          {},
          "access: a group stays administrators although identity.groups does not say so: without it there would be none",
        );
      }
    }
    if (added.length + removed.length === 0) return;
    await mapped.change(tx, added, removed);
    await writeTuplesIn(
      tx,
      context,
      { writes: added, deletes: removed },
      { actor: "operator", details: { source: mapSource } },
    );
  });
}

/** Without the tuples that are stored already, because they were given by hand. */
async function missingOf({ authorization }: GroupMapContext, tuples: readonly Tuple[]): Promise<readonly Tuple[]> {
  const stored = await Promise.all(tuples.map((tuple) => authorization.read(tuple)));
  return tuples.filter((_, index) => stored[index]?.length === 0);
}

function isMissingIn(tuples: readonly Tuple[]): (tuple: Tuple) => boolean {
  const keys = new Set(tuples.map(({ user, relation, object }) => `${user} ${relation} ${object}`));
  return ({ user, relation, object }) => !keys.has(`${user} ${relation} ${object}`);
}
