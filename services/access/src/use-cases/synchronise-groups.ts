import { groupObject, type Tuple } from "@appserver/contracts/authorization";
import type { Logger } from "@appserver/kernel";
import type { GroupMemberships, GroupReadings, ToldGroups, Transaction } from "../ports.ts";
import { type WriteContext, writeTuplesIn } from "./change-access.ts";
import {
  type AdministratorsContext,
  administratorTuples,
  isLastAdministrator,
  keepsAdministrator,
  lockAdministrators,
} from "./last-administrator.ts";

export interface GroupsContext extends WriteContext, AdministratorsContext {
  readonly authorization: WriteContext["authorization"] & AdministratorsContext["authorization"];
  readonly readings: GroupReadings;
  readonly logger: Logger;
}

/** More groups of one person from one source are left out. */
const maxGroups = 1_000;

/** Writes the groups of people as tuples: `user:<id> member group:<name>`. Only it writes such tuples. */
export function groupMemberships(context: GroupsContext): GroupMemberships {
  const { database, readings, logger } = context;
  return {
    replace: async ({ userId, source, groups }) => {
      const names = [...new Set(groups)].filter((name) => groupObject(name) !== undefined).slice(0, maxGroups);
      if (names.length < new Set(groups).size)
        logger.warn(
          { userId, source, groups: groups.length },
          "access: some groups have no name, one that is too long, or are too many",
        );
      await database.transaction(async (tx) => {
        await readings.lock(tx, userId);
        await readings.replace(tx, { userId, source, groups: names });
        await writeMemberships(context, tx, { userId, source });
      });
    },
    keep: async ({ userId, source, maxAgeMs }) =>
      await database.transaction(async (tx) => {
        await readings.lock(tx, userId);
        if (await readings.isFresh(tx, { userId, source }, maxAgeMs)) return true;
        await readings.replace(tx, { userId, source, groups: [] });
        await writeMemberships(context, tx, { userId, source });
        return false;
      }),
    isLastAdministrator: (tx, userId) => isLastAdministrator(context, tx, userId),
  };
}

/** Makes the tuples of a person's groups those that the readings of all sources say. */
async function writeMemberships(
  context: GroupsContext,
  tx: Transaction,
  { userId, source }: Omit<ToldGroups, "groups">,
): Promise<void> {
  const { authorization, readings, logger } = context;
  const user = `user:${userId}`;
  const told = (await readings.of(tx, [userId])).flatMap(({ groups }) => groups.flatMap((name) => groupObject(name) ?? []));
  const stored = await authorization.read({ user, relation: "member", object: "group:" });
  const writes = [...new Set(told)]
    .filter((object) => !stored.some((tuple) => tuple.object === object))
    .map((object) => ({ user, relation: "member", object }));
  const deletes = stored.filter(({ object }) => !told.includes(object));
  const removable = await removableOf(context, tx, deletes);
  if (removable.length < deletes.length)
    logger.warn({ userId, source }, "access: the last administrator stays in the groups that make them one");
  if (writes.length + removable.length > 0)
    await writeTuplesIn(tx, context, { writes, deletes: removable }, { actor: "identity", details: { source } });
}

/** Without those that make the person an administrator, if there would be none. */
async function removableOf(context: GroupsContext, tx: Transaction, deletes: readonly Tuple[]): Promise<readonly Tuple[]> {
  if (deletes.length === 0) return deletes;
  await lockAdministrators(tx);
  const tuples = await administratorTuples(context);
  if (await keepsAdministrator(context, tuples, deletes)) return deletes;
  const objects = new Set(tuples.map(({ object }) => object));
  return deletes.filter(({ object }) => !objects.has(object));
}
