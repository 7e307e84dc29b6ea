import assert from "node:assert/strict";
import { test } from "node:test";
import { freeSubnets, type Range, rangeOf } from "./subnets.ts";

function range(cidr: string): Range {
  return rangeOf(cidr) ?? assert.fail(cidr);
}

test("ranges of networks, and no range for anything else", () => {
  assert.deepEqual(range("10.213.0.16/28"), { first: 0x0ad50010, last: 0x0ad5001f });
  assert.deepEqual(range("10.213.7.9/16"), range("10.213.0.0/16"));
  assert.deepEqual(range("255.255.255.240/28").last, 0xffffffff);
  for (const text of ["", "10.213.0.0", "10.213.0.0/33", "10.213.0.256/28", "fd00::/64", "10.213.0/16"])
    assert.equal(rangeOf(text), undefined, text);
});

test("every /27 of a pool is found once, from a place that the seed determines", () => {
  const pool = range("10.213.0.0/24");
  const found = [...freeSubnets(pool, "app-1", [])];
  assert.deepEqual([found.length, new Set(found).size], [8, 8]);
  assert.deepEqual([...freeSubnets(pool, "app-1", [])], found);
  const starts = Array.from({ length: 40 }, (_, index) => freeSubnets(pool, `app-${index}`, []).next().value);
  assert.ok(new Set(starts).size > 4, String(starts));
  assert.equal([...freeSubnets(range("10.213.0.0/16"), "x", [])].length, 2_048);
});

test("networks that overlap others are left out, larger and smaller ones", () => {
  const taken = ["10.213.0.0/25", "10.213.0.150/32", "10.0.0.0/24"].map(range);
  const free = [...freeSubnets(range("10.213.0.0/24"), "app", taken)].sort();
  const expected = [160, 192, 224].map((last) => `10.213.0.${last}/27`);
  assert.deepEqual(free, expected.sort());
  assert.deepEqual([...freeSubnets(range("10.213.0.0/24"), "app", [range("10.0.0.0/8")])], []);
  assert.deepEqual([...freeSubnets(range("10.213.0.0/30"), "app", [])], []);
});
