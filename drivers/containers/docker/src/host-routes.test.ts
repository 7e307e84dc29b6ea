import assert from "node:assert/strict";
import { test } from "node:test";
import { hostRoutes, routesIn } from "./host-routes.ts";
import { rangeOf } from "./subnets.ts";

test("the routes of the kernel's table, with the default route", () => {
  const table = [
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT",
    "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0",
    "br-3cda7bc7c26e\t8011D50A\t00000000\t0001\t0\t0\t0\tF0FFFFFF\t0\t0\t0",
    "",
  ].join("\n");
  assert.deepEqual(routesIn(table), [rangeOf("0.0.0.0/0"), rangeOf("10.213.17.128/28")]);
  assert.deepEqual(routesIn(""), []);
});

test("the routes of this machine are networks", async () => {
  for (const { first, last } of await hostRoutes())
    assert.ok(Number.isInteger(Math.log2(last - first + 1)), `${first}-${last}`);
});
