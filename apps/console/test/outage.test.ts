import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isRecovery, outageOf, type Readiness } from "../web/api/outage.ts";

const readiness = (...down: readonly string[]): Readiness => ({
  status: down.length > 0 ? "not_ready" : "ready",
  checks: Object.fromEntries(
    ["database", "authorization", "broker", ...down].map((name) => [name, { status: down.includes(name) ? "down" : "up" }]),
  ),
});

describe("what does not respond", () => {
  test("is named with its effect", () => {
    assert.equal(outageOf(readiness()), undefined);
    const outage = outageOf(readiness("database", "broker"));
    assert.equal(outage?.title, "Not available: Database, Message broker");
    assert.equal(outage?.effects.length, 2);
    assert.match(outage?.effects[0] ?? "", /Nothing can be read/);
    assert.match(outageOf(readiness("authorization"))?.effects[0] ?? "", /Permissions cannot be checked/);
  });

  test("a check that the console does not know is shown with its message", () => {
    const checks = { moon: { status: "down", message: "no signal" } } as const;
    const outage = outageOf({ status: "not_ready", checks });
    assert.deepEqual([outage?.title, outage?.effects, outage?.isCritical], ["Not available: moon", ["no signal"], true]);
  });

  test("the broker alone is not critical: requests work", () => {
    assert.equal(outageOf(readiness("broker"))?.isCritical, false);
    assert.equal(outageOf(readiness("broker", "database"))?.isCritical, true);
  });

  test("pages are read again as soon as one of them is back", () => {
    const [both, one] = [outageOf(readiness("database", "broker")), outageOf(readiness("broker"))];
    assert.equal(isRecovery(both, one), true);
    assert.equal(isRecovery(one, undefined), true);
    assert.equal(isRecovery(one, both), false);
    assert.equal(isRecovery(undefined, one), false);
    assert.equal(isRecovery(undefined, undefined), false);
  });
});
