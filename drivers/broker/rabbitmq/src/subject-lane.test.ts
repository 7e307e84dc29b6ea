import assert from "node:assert/strict";
import { test } from "node:test";
import { SubjectLane } from "./subject-lane.ts";

const [a, b, c, d] = ["a", "b", "c", "d"].map((id) => ({ id })) as [Item, Item, Item, Item];
type Item = { id: string };
const lane = (): SubjectLane<Item> => new SubjectLane<Item>();

test("one event runs, the others wait for it in order", () => {
  const subject = lane();
  assert.deepEqual([subject.arrive(a, 0), subject.arrive(b, 0), subject.arrive(c, 0)], ["run", "wait", "wait"]);
  assert.equal(subject.finish().next, b);
  assert.equal(subject.finish().next, c);
  assert.equal(subject.finish().next, undefined);
  assert.ok(subject.isIdle(0));
});

test("a failed event takes those behind it along, and none overtakes them", () => {
  const subject = lane();
  subject.arrive(a, 0);
  subject.arrive(b, 0);
  assert.deepEqual(subject.retreat(100, 0), [a, b]);
  assert.equal(subject.arrive(c, 10), "send-away");
  assert.equal(subject.delayMs, 100);
  assert.equal(subject.arrive(b, 90), "send-away", "back before the first");
  assert.equal(subject.arrive(a, 100), "run");
  assert.equal(subject.arrive(b, 190), "wait");
  assert.equal(subject.arrive(d, 195), "send-away", "c is still away");
  assert.equal(subject.finish().next, b);
  assert.equal(subject.arrive(c, 200), "wait");
  assert.equal(subject.finish().next, c);
  subject.finish();
  assert.equal(subject.arrive(d, 300), "run");
});

test("an event that fails again stays before those that left with it", () => {
  const subject = lane();
  subject.arrive(a, 0);
  subject.arrive(b, 0);
  subject.retreat(100, 0);
  subject.arrive(a, 100);
  assert.deepEqual(subject.retreat(200, 100), [a]);
  assert.equal(subject.arrive(b, 101), "send-away");
  assert.equal(subject.arrive(a, 300), "run");
  assert.equal(subject.arrive(b, 301), "wait");
});

test("an event that does not return went to another consumer, and is not awaited much longer", () => {
  const subject = lane();
  subject.arrive(a, 0);
  subject.retreat(100, 0);
  assert.ok(!subject.isIdle(1_199));
  assert.equal(subject.arrive(b, 1_200), "run");
});

test("copies that arrive while the event runs are settled with it", () => {
  const subject = lane();
  subject.arrive(a, 0);
  const copy = { id: "a" };
  assert.deepEqual([subject.arrive(b, 0), subject.arrive(copy, 0)], ["wait", "wait"]);
  assert.deepEqual(subject.finish(), { next: b, copies: [copy] });
});

test("events that are delivered again after their channel was lost run once, in their first order", () => {
  const subject = lane();
  const [again, behindAgain] = [{ id: "a" }, { id: "b" }];
  subject.arrive(a, 0);
  subject.arrive(b, 0);
  for (const item of [c, again, behindAgain]) assert.equal(subject.arrive(item, 10), "wait");
  assert.deepEqual(subject.finish(), { next: b, copies: [again] });
  assert.deepEqual(subject.finish(), { next: c, copies: [behindAgain] });
  assert.deepEqual(subject.finish(), { next: undefined, copies: [] });
});

test("if such an event fails, it is awaited once", () => {
  const subject = lane();
  const again = { id: "a" };
  subject.arrive(a, 0);
  subject.arrive(again, 0);
  assert.deepEqual(subject.retreat(100, 0), [a, again]);
  assert.equal(subject.arrive(again, 100), "run");
  assert.equal(subject.arrive(b, 110), "wait");
});
