import { SystemClock } from "@appserver/kernel";
import { PgBoss } from "pg-boss";

export interface BareOptions {
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly password: string;
    readonly database: string;
  };
  readonly runs: number;
  /** Number of concurrent triggers. */
  readonly producers: number;
  /** Maximum number of runs that the worker holds. */
  readonly capacity: number;
}

/**
 * The peer: pg-boss as its users use it, on its own connections. One statement sends each job and one completes it with its
 * result. A worker fetches as many as it has room for. Returns the milliseconds from the first trigger to the last result.
 */
export async function runBarePgBoss(options: BareOptions): Promise<number> {
  const boss = new PgBoss({ ...options.connection, schema: "bare_boss", supervise: false, schedule: false });
  boss.on("error", (error) => {
    throw error;
  });
  await boss.start();
  await boss.createQueue("toil");
  try {
    const clock = new SystemClock();
    const startedAt = clock.monotonic();
    await Promise.all([sendAll(boss, options), workAll(boss, options)]);
    return clock.monotonic() - startedAt;
  } finally {
    await boss.stop({ graceful: false });
  }
}

async function sendAll(boss: PgBoss, { runs, producers }: BareOptions): Promise<void> {
  let next = 0;
  const produce = async (): Promise<void> => {
    for (let number = next++; number < runs; number = next++) await boss.send("toil", { number });
  };
  await Promise.all(Array.from({ length: producers }, produce));
}

async function workAll(boss: PgBoss, { runs, capacity }: BareOptions): Promise<void> {
  let done = 0;
  let held = 0;
  let onRoom: () => void = () => {};
  const complete = async (id: string, data: object): Promise<void> => {
    await boss.complete("toil", id, { ...data });
    done += 1;
    held -= 1;
    onRoom();
  };
  while (done + held < runs) {
    const room = capacity - held;
    const jobs = room > 0 ? await boss.fetch<{ number: number }>("toil", { batchSize: room }) : [];
    held += jobs.length;
    const completing = jobs.map(({ id, data }) => complete(id, data));
    if (jobs.length === 0 || held === capacity)
      await Promise.race([
        new Promise<void>((resolve) => (onRoom = resolve)),
        new Promise((resolve) => setTimeout(resolve, 5)),
      ]);
    if (done + held >= runs) await Promise.all(completing);
  }
  while (done < runs) await new Promise<void>((resolve) => (onRoom = resolve));
}
