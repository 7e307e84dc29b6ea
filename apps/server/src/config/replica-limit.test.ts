import assert from "node:assert/strict";
import { test } from "node:test";
import { configuredReplicaLimit, replicaLimit } from "./replica-limit.ts";

test("the number of instances is limited by the operator, or by the driver, whose name is in the reason", () => {
  const byOption = { most: 10, because: "an operator can raise containers.max_replicas" };
  assert.deepEqual(replicaLimit(10, { name: "fleet", most: 11 }), byOption);
  assert.deepEqual(replicaLimit(10, { name: "fleet", most: 8 }), { most: 8, because: "the driver fleet runs no more" });
  const of = (driver: string) => configuredReplicaLimit({ driver, maxReplicas: 10 });
  assert.deepEqual([of("process").most, of("process").because], [1, "the driver process runs no more"]);
  assert.deepEqual([of("docker").most, of("docker").because], [8, "the driver docker runs no more"]);
  assert.deepEqual([of("kubernetes"), of("./fleet.js")], [byOption, byOption]);
});
