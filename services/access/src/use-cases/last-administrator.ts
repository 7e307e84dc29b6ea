import { administratorRole, type Tuple, usersetOf } from "@appserver/contracts/authorization";
import { AppError, advisoryLocks } from "@appserver/kernel";
import type { Authorization, IdentityProvider, Transaction } from "../ports.ts";

export interface AdministratorsContext {
  readonly authorization: Pick<Authorization, "read">;
  readonly identity: Pick<IdentityProvider, "find">;
}

/** The tuples by which people are administrators, each with those who are nearer to the person. */
export type AdministratorTuples = readonly Tuple[];

/** Two changes at the same time could each leave the administrator that the other one removes: one waits for the other. */
export async function lockAdministrators(tx: Transaction): Promise<void> {
  await tx.query("select pg_advisory_xact_lock($1)", [advisoryLocks.administrators]);
}

/** Returns the tuples that lead from people to the role of administrators, through other roles and groups. */
export async function administratorTuples({ authorization }: Pick<AdministratorsContext, "authorization">): Promise<Tuple[]> {
  const found: Tuple[] = [];
  const seen = new Set<string>();
  let open = [{ object: administratorRole, relation: "assignee" }];
  while (open.length > 0) {
    const unseen = open.filter(({ object }) => !seen.has(object));
    for (const { object } of unseen) seen.add(object);
    const tuples = (await Promise.all(unseen.map((userset) => authorization.read(userset)))).flat();
    found.push(...tuples);
    open = tuples.flatMap(({ user }) => usersetOf(user) ?? []);
  }
  return found;
}

/**
 * Returns whether a person who can sign in is still an administrator after these deletions, or none was before. The caller holds
 * {@link lockAdministrators}. Throws SERVICE_UNAVAILABLE if the identity provider cannot be asked.
 */
export async function keepsAdministrator(
  { identity }: Pick<AdministratorsContext, "identity">,
  tuples: AdministratorTuples,
  deletes: readonly Tuple[],
): Promise<boolean> {
  const gone = new Set(deletes.map(keyOf));
  const rest = tuples.filter((tuple) => !gone.has(keyOf(tuple)));
  if (rest.length === tuples.length) return true;
  const [before, after] = [peopleIn(tuples), peopleIn(rest)];
  if (before.size === after.size) return true;
  const counts = await signInTest({ identity }, before);
  return [...after].some(counts) || ![...before].some(counts);
}

/** Returns whether the person is an administrator who can sign in, and the only one. It is true until the transaction ends. */
export async function isLastAdministrator(context: AdministratorsContext, tx: Transaction, userId: string): Promise<boolean> {
  await lockAdministrators(tx);
  const people = peopleIn(await administratorTuples(context));
  if (!people.has(userId)) return false;
  const counts = await signInTest(context, people);
  return counts(userId) && ![...people].some((id) => id !== userId && counts(id));
}

/** Throws INVALID_STATE for the only administrator who can sign in, in a transaction that would make the person one who cannot. */
export async function requireOtherAdministrator(
  context: AdministratorsContext,
  tx: Transaction,
  userId: string,
): Promise<void> {
  if (await isLastAdministrator(context, tx, userId))
    throw new AppError(
      "INVALID_STATE",
      `without user:${userId} there would be no administrator: give another person ${administratorRole} first`,
    );
}

/** Returns what tells whether a person can sign in. */
async function signInTest(
  { identity }: Pick<AdministratorsContext, "identity">,
  ids: ReadonlySet<string>,
): Promise<(id: string) => boolean> {
  const people = await identity.find({ ids: [...ids] });
  const active = new Set(people.filter(({ isActive }) => isActive !== false).map(({ userId }) => userId));
  // A provider without a list of people returns none.
  return (id) => active.size === 0 || active.has(id);
}

/** Returns the ids of the people who are administrators by these tuples. */
function peopleIn(tuples: AdministratorTuples): ReadonlySet<string> {
  const bySet = Map.groupBy(tuples, ({ object, relation }) => `${object}#${relation}`);
  const people = new Set<string>();
  const seen = new Set<string>();
  const open = [`${administratorRole}#assignee`];
  for (let userset = open.pop(); userset !== undefined; userset = open.pop()) {
    if (seen.has(userset)) continue;
    seen.add(userset);
    for (const { user } of bySet.get(userset) ?? []) {
      if (usersetOf(user)) open.push(user);
      else if (user.startsWith("user:")) people.add(user.slice("user:".length));
    }
  }
  return people;
}

function keyOf({ user, relation, object }: Tuple): string {
  return `${object}#${relation}@${user}`;
}
