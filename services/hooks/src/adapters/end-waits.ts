import type { Database } from "@appserver/kernel/ports";

/** Maximum waits ended by one statement. */
const stepRows = 1_000;
/** Deliveries to one subscriber that a probe looks at, from each end, to see whether the last attempt is long ago. */
const lookedAtRows = 1_000;
/** A retry that is due sooner is not worth an early attempt. */
const isFar = "due_at > now() + interval '10 seconds' and due_at < 'infinity' and status = 'RETRYING' and not waits_fully";
/**
 * Minimum time between two early attempts of a delivery in one wait: 5 min, doubled by each attempt that was neither counted as a retry nor
 * as a disconnection, up to 40 min. So an event that its app cannot handle is sent a few times in a long wait.
 */
const earlyPause = "interval '5 minutes' * power(2, least(greatest(attempt - failures - disconnects, 1), 4) - 1)";
/** Time without an attempt after which a subscriber gets a probe. */
const probePause = "interval '15 minutes'";

/**
 * Makes the retries of a subscriber due now, oldest first, in steps. Only the first of each ordering group waits for a time, so the order
 * stays. Not those that the subscriber asked to wait. Each wait is ended once, and again when the last attempt is long ago, or if
 * `isOrdered`. Returns how many.
 */
export async function endWaits(database: Database, appName: string, isOrdered: boolean): Promise<number> {
  let ended = 0;
  for (let step = stepRows; step === stepRows; ended += step) {
    ({ count: step } = await database.query(
      `update hooks.deliveries set due_at = now(), retry_at = due_at where id = any (array(
         select id from hooks.deliveries
         where app_name = $1 and ${isFar} and ($2 or retry_at is null or updated_at < now() - ${earlyPause})
         order by due_at, id limit ${stepRows} for update skip locked))`,
      [appName, isOrdered],
    ));
  }
  return ended;
}

/**
 * Of each of these subscribers that had no attempt for 15 minutes, makes one retry due now: the one that is due first. The change
 * counts as an attempt, so that other replicas make no further one due. Returns the subscribers that have one.
 *
 * An earlier probe is among the deliveries that are due first, because it keeps the time of its retry; an attempt at its time is among those
 * that are due last. A delivery that another replica makes due at the same time is skipped after it was chosen, so that no second one is.
 */
export async function probe(database: Database, appNames: readonly string[]): Promise<readonly string[]> {
  const { rows } = await database.query<{ app_name: string }>(
    `update hooks.deliveries set due_at = now(), retry_at = due_at, updated_at = now() where id = any (array(
       select id from hooks.deliveries
       where id = any (array(
         select first.id from unnest($1::text[]) as subscriber (name) cross join lateral (
           select id from hooks.deliveries where app_name = subscriber.name and ${isFar} order by due_at, id limit 1
         ) as first
         where not exists (
           select 1 from (${lookedAt("asc")} union all ${lookedAt("desc")}) as last where last.updated_at > now() - ${probePause})))
       and ${isFar} and updated_at <= now() - ${probePause}
       for update skip locked))
     returning app_name`,
    [appNames],
  );
  return rows.map(({ app_name }) => app_name);
}

function lookedAt(order: "asc" | "desc"): string {
  return `(select updated_at from hooks.deliveries where app_name = subscriber.name and due_at < 'infinity'
    order by due_at ${order} limit ${lookedAtRows})`;
}
