import assert from "node:assert/strict";
import { test } from "node:test";
import { SingleFlight, singleFlight } from "./single-flight.ts";

test("callers of one key share a load, and the next caller after it starts another", async () => {
  const flights = new SingleFlight<string, number>();
  let loads = 0;
  const load = async (): Promise<number> => ++loads;
  const both = [flights.run("a", load), flights.run("a", load), flights.run("b", load)];
  assert.deepEqual(await Promise.all(both), [1, 1, 2]);
  assert.equal(await flights.run("a", load), 3);
});

test("a failed load is not kept", async () => {
  const load = singleFlight<number>(() => Promise.reject(new Error("away")));
  const both = [load(), load()];
  assert.equal(both[0], both[1]);
  await assert.rejects(both[0] as Promise<number>, /away/);
  assert.notEqual(
    both[0],
    load().catch(() => {}),
  );
});

test("a forgotten load continues, and does not end the one that replaced it", async () => {
  const flights = new SingleFlight<string, string>();
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const old = flights.run("a", () => first.promise);
  flights.forget("a");
  const replacement = flights.run("a", () => second.promise);
  first.resolve("old");
  assert.equal(await old, "old");
  assert.equal(
    flights.run("a", () => assert.fail("the replacement is running")),
    replacement,
  );
  flights.forget();
  assert.equal(await flights.run("a", async () => "newer"), "newer");
  second.resolve("new");
  assert.equal(await replacement, "new");
});
