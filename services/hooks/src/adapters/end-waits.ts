import type { Database } from "@appserver/kernel/ports";

/** Maximum waits ended by one statement. */
const stepRows = 1_000;
/** A retry that is due sooner is not worth the one early attempt that a delivery has. */
const leastLeftSeconds = 10;

/**
 * Makes the retries of an app due now, oldest first, in steps. Only the first of each ordering group waits for a time, so the order stays.
 * Not those that the app asked to wait, and each delivery only once. Returns how many.
 */
export async function endWaits(database: Database, appName: string): Promise<number> {
  let ended = 0;
  for (let step = stepRows; step === stepRows; ended += step) {
    ({ count: step } = await database.query(
      `update hooks.deliveries set due_at = now(), waits_fully = true where id = any (array(
         select id from hooks.deliveries
         where app_name = $1 and due_at > now() + interval '${leastLeftSeconds} seconds' and due_at < 'infinity'
           and status = 'RETRYING' and not waits_fully
         order by due_at, id limit ${stepRows} for update skip locked))`,
      [appName],
    ));
  }
  return ended;
}
