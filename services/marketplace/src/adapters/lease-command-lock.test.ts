import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import type { Lease, Leases } from "@appserver/kernel/ports";
import { FakeClock, rejectsWith } from "@appserver/testing/kit";
import { LeaseCommandLock } from "./lease-command-lock.ts";

const app = "com.example.busy";
const isBusy = rejectsWith("CONFLICT", /^another command is running on com\.example\.busy; try again$/);

/** Leases that do not expire; sql-leases.test.ts tests the real ones. */
class MemoryLeases implements Leases {
  readonly taken = new Set<string>();
  attempts = 0;

  async acquire(name: string): Promise<Lease | undefined> {
    this.attempts += 1;
    if (this.taken.has(name)) return undefined;
    this.taken.add(name);
    const release = async (): Promise<void> => void this.taken.delete(name);
    return { name, fence: 1, renew: async () => true, release };
  }
}

const never = () => assert.fail("ran together with other work");

describe("command lock", () => {
  let clock: FakeClock;
  let leases: MemoryLeases;
  /** Of two replicas. */
  let a: LeaseCommandLock;
  let b: LeaseCommandLock;
  beforeEach(() => {
    clock = new FakeClock();
    leases = new MemoryLeases();
    [a, b] = [new LeaseCommandLock(leases, clock), new LeaseCommandLock(leases, clock)];
  });

  /** Starts work that runs until `end` is called. */
  const occupy = async (start: (work: () => Promise<void>) => Promise<unknown>) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = start(() => promise);
    await clock.advance(0);
    return async (): Promise<void> => {
      resolve();
      await done;
    };
  };
  /** Records when a command ends, by the fake clock, and how. */
  const watch = async (command: Promise<unknown>) => {
    const watched: { endedAt?: number; value?: unknown; error?: unknown } = {};
    const end = (how: object): void => void Object.assign(watched, { endedAt: clock.monotonic(), ...how });
    command.then(
      (value) => end({ value }),
      (error: unknown) => end({ error }),
    );
    await clock.advance(0);
    return watched;
  };
  const byThePlatform = {
    "work that needs a free app": (work: () => Promise<void>) => a.runIfFree(app, work),
    "a command of the platform": (work: () => Promise<void>) => a.run(app, work, "platform"),
  };

  for (const [what, start] of Object.entries(byThePlatform)) {
    test(`a caller's command waits for ${what}, also if that takes seconds`, async () => {
      const end = await occupy(start);
      const command = await watch(b.run(app, async () => "ran"));
      await clock.advance(4_700);
      assert.equal(command.endedAt, undefined);
      await end();
      await clock.advance(300);
      assert.equal(command.value, "ran");
      assert.deepEqual([leases.taken.size, clock.sleeping], [0, 0]);
    });

    test(`after 5 s of ${what}, a caller's command is refused with CONFLICT`, async () => {
      const end = await occupy(start);
      const command = await watch(b.run(app, never));
      await clock.advance(6_000);
      assert.equal(command.endedAt, 5_000);
      assert.ok(isBusy(command.error));
      await end();
    });
  }

  test("a command that meets a caller's command is refused within a second", async () => {
    const end = await occupy((work) => a.run(app, work));
    const refused = [
      await watch(b.run(app, never)),
      await watch(a.run(app, never)),
      await watch(b.run(app, never, "platform")),
    ];
    assert.deepEqual(await b.runIfFree(app, never), { held: false });
    await clock.advance(2_000);
    for (const { endedAt, error } of refused) {
      assert.equal(endedAt, 1_000);
      assert.ok(isBusy(error));
    }
    await end();
  });

  test("while one caller's command waits for the platform, another one is refused within a second", async () => {
    const end = await occupy((work) => a.runIfFree(app, work));
    const first = await watch(b.run(app, async () => "ran"));
    await clock.advance(100);
    const second = await watch(a.run(app, never));
    await clock.advance(3_000);
    assert.equal(second.endedAt, 1_100);
    await end();
    await clock.advance(300);
    assert.equal(first.value, "ran");
  });

  test("a wait of 5 s costs the database few statements", async () => {
    const end = await occupy((work) => a.runIfFree(app, work));
    const before = leases.attempts;
    const command = await watch(b.run(app, never));
    await clock.advance(5_000);
    assert.equal(command.endedAt, 5_000);
    assert.ok(leases.attempts - before <= 30, `${leases.attempts - before} statements`);
    await end();
  });
});
