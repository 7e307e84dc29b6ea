import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FakeClock } from "@appserver/testing/kit";
import { DatabaseError } from "../platform-ports/database.ts";
import type { Lease, Leases } from "../platform-ports/leases.ts";
import { type HeldLease, holdLease, LeaseLostError } from "./hold-lease.ts";

const ttlMs = 30_000;

/** A lease whose results the test scripts; sql-leases.test.ts tests the real one. */
class ScriptedLease implements Lease, Leases {
  readonly name = "work";
  readonly fence = 7;
  renewals = 0;
  released = false;
  answer: () => Promise<boolean> = async () => true;

  async acquire(): Promise<Lease> {
    return this;
  }

  async renew(): Promise<boolean> {
    this.renewals += 1;
    return this.answer();
  }

  async release(): Promise<void> {
    this.released = true;
  }
}

function hold(lease: Leases, clock: FakeClock) {
  const end = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<HeldLease>();
  const result = holdLease(lease, "work", ttlMs, clock, (held) => {
    begun.resolve(held);
    return end.promise;
  });
  return { end, begun: begun.promise, result };
}

describe("holdLease", () => {
  test("renews every third of the ttl while the work runs, then releases", async () => {
    const [clock, lease] = [new FakeClock(), new ScriptedLease()];
    const { begun, end, result } = hold(lease, clock);
    const { fence, signal } = await begun;
    await clock.advance(10 * ttlMs);
    assert.equal(lease.renewals, 30);
    assert.equal(signal.aborted, false);
    end.resolve("value");
    assert.deepEqual(await result, { held: true, value: "value" });
    assert.deepEqual([fence, lease.released, clock.sleeping], [7, true, 0]);
  });

  test("does not run the work when another holds the lease", async () => {
    const taken: Leases = { acquire: async () => undefined };
    const result = await holdLease(taken, "work", ttlMs, new FakeClock(), () => assert.fail("ran"));
    assert.deepEqual(result, { held: false });
  });

  test("aborts the work's signal as soon as a renewal finds the lease lost", async () => {
    const [clock, lease] = [new FakeClock(), new ScriptedLease()];
    const { begun, end, result } = hold(lease, clock);
    const { signal } = await begun;
    lease.answer = async () => false;
    await clock.advance(ttlMs / 3);
    assert.ok(signal.reason instanceof LeaseLostError);
    end.reject(new Error("gave up"));
    await assert.rejects(result, /gave up/);
  });

  test("continues through failed renewals until the ttl is over, not longer", async () => {
    const [clock, lease] = [new FakeClock(), new ScriptedLease()];
    const { begun, end, result } = hold(lease, clock);
    const { signal } = await begun;
    const away = new Error("database away");
    lease.answer = () => Promise.reject(away);
    await clock.advance(ttlMs - 1);
    assert.equal(signal.aborted, false);
    await clock.advance(1);
    assert.match(String(signal.reason), /database away/);
    assert.equal(signal.reason.cause, away);
    end.resolve("");
    await result;
  });

  test("a renewal that hangs does not hide that the lease expired", async () => {
    const [clock, lease] = [new FakeClock(), new ScriptedLease()];
    const { begun, end, result } = hold(lease, clock);
    const { signal } = await begun;
    lease.answer = () => new Promise(() => {});
    await clock.advance(ttlMs - 1);
    assert.equal(signal.aborted, false);
    await clock.advance(1);
    assert.ok(signal.reason.cause instanceof DatabaseError);
    end.resolve("");
    await result;
  });

  test("a wall clock that jumps changes nothing", async () => {
    const [clock, lease] = [new FakeClock(), new ScriptedLease()];
    const { begun, end, result } = hold(lease, clock);
    const { signal } = await begun;
    clock.jump(600_000);
    await clock.advance(ttlMs);
    clock.jump(-1_200_000);
    await clock.advance(ttlMs);
    assert.deepEqual([signal.aborted, lease.renewals], [false, 6]);
    end.resolve("");
    await result;
  });
});
