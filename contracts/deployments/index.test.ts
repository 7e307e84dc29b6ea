import assert from "node:assert/strict";
import { test } from "node:test";
import { addressesOf, type DeploymentInstance } from "./index.ts";

function instance(address: string | undefined, ready = true): DeploymentInstance {
  return { id: address ?? "new", ready, restarts: 0, address };
}

test("the addresses of several instances are those that are ready, in a fixed order", () => {
  const instances = [
    instance("10.0.0.2:3000"),
    instance("10.0.0.1:3000"),
    instance("10.0.0.3:3000", false),
    instance(undefined),
  ];
  assert.deepEqual(addressesOf({ wantedInstances: 3, instances }), ["10.0.0.1:3000", "10.0.0.2:3000"]);
  assert.equal(addressesOf({ wantedInstances: 1, instances }), undefined, "one instance is reached by the endpoint");
  assert.equal(addressesOf({ wantedInstances: 2, instances: [instance("10.0.0.1:3000", false)] }), undefined, "none is ready");
  assert.equal(addressesOf({}), undefined);
});
