import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { BodyBuffer } from "./body-buffer.ts";
import { BufferBudget } from "./buffer-budget.ts";

const full = { code: "RATE_LIMIT_EXCEEDED" };

describe("buffer budget", () => {
  test("all leases together hold no more than the budget; returned bytes can be taken again", () => {
    const budget = new BufferBudget({ totalBytes: 100, unprovenBytes: 100 });
    const [one, two] = [budget.lease(), budget.lease()];
    one.take(60);
    two.take(40);
    assert.throws(() => two.take(1), full);
    one.giveBack(10);
    two.take(10);
    one.release();
    one.release();
    assert.equal(budget.usedBytes, 50);
    two.release();
    assert.equal(budget.usedBytes, 0);
  });

  test("one app gets a quarter, for bodies that are proven and those that are not yet", () => {
    const budget = new BufferBudget({ totalBytes: 100 });
    const of = (app: string) => {
      const lease = budget.lease();
      lease.countFor(app);
      return lease;
    };
    const [one, two, other] = [of("com.example.one"), of("com.example.one"), of("com.example.other")];
    one.take(20);
    one.prove();
    assert.throws(() => two.take(6), full);
    two.take(5);
    other.take(25);
    one.release();
    two.take(20);
    assert.throws(() => two.take(1), full);
    two.release();
    other.release();
    assert.equal(budget.usedBytes, 0);
  });

  test("of the part of unproven callers, one client gets a quarter", () => {
    const budget = new BufferBudget({ totalBytes: 100, unprovenBytes: 40 });
    const [one, two, other] = [budget.lease("2001:db8::1"), budget.lease("2001:db8::2"), budget.lease("203.0.113.1")];
    one.take(6);
    two.take(4);
    assert.throws(() => two.take(1), full);
    other.take(10);
    one.prove();
    one.take(20);
    two.take(6);
    assert.throws(() => two.take(1), full);
    const signed = budget.lease("203.0.113.1");
    signed.countFor("com.example.one");
    signed.take(20);
    for (const lease of [one, two, other, signed]) lease.release();
    assert.equal(budget.usedBytes, 0);
    budget.lease("203.0.113.1").take(10);
  });

  test("unproven callers share a part; a caller that proves its identity stops counting against that part", () => {
    const budget = new BufferBudget({ totalBytes: 100, unprovenBytes: 30 });
    const [newcomer, known] = [budget.lease(), budget.lease()];
    known.take(30);
    assert.throws(() => newcomer.take(1), full);
    known.prove();
    known.take(40);
    newcomer.take(30);
    assert.throws(() => known.take(1), full);
    known.release();
    newcomer.release();
    assert.equal(budget.usedBytes, 0);
  });
});

describe("body buffer", () => {
  test("pieces of any size are returned unchanged", () => {
    const lease = new BufferBudget({ totalBytes: 256 * 1024 * 1024 }).lease();
    const buffer = new BodyBuffer(lease);
    const pieces = [1, 0, 4_095, 1, 1, 70_000, 3, 5_000_000, 12].map((size, index) => Buffer.alloc(size, index + 1));
    for (const piece of pieces) buffer.add(piece);
    assert.ok(Buffer.concat(pieces).equals(buffer.take()));
    assert.equal(buffer.length, 0);
  });

  test("a refused piece changes nothing, and release returns everything", () => {
    const budget = new BufferBudget({ totalBytes: 10_000, unprovenBytes: 10_000 });
    const buffer = new BodyBuffer(budget.lease());
    buffer.add(Buffer.alloc(4_000));
    assert.throws(() => buffer.add(Buffer.alloc(20_000)), full);
    assert.equal(buffer.length, 4_000);
    assert.ok(budget.usedBytes <= 10_000);
    buffer.release();
    assert.equal(budget.usedBytes, 0);
  });

  test("a million pieces of one byte cost little more than a million bytes", () => {
    const budget = new BufferBudget({ totalBytes: 256 * 1024 * 1024 });
    const buffer = new BodyBuffer(budget.lease());
    const one = Buffer.from([7]);
    for (let count = 0; count < 1_000_000; count += 1) buffer.add(one);
    assert.ok(budget.usedBytes < 2_100_000, String(budget.usedBytes));
    assert.equal(buffer.take().length, 1_000_000);
  });
});
