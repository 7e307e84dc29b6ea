import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { privateNetworks } from "./private-networks.ts";

test("the firewall of apps on one machine closes the private networks of IPv4, and metadata", () => {
  const script = readFileSync(resolve(import.meta.dirname, "../../deploy/apps-firewall.sh"), "utf8");
  const closed = /^for range in (.+); do$/m.exec(script)?.[1]?.split(" ");
  const expected = ["169.254.0.0/16", ...privateNetworks.filter((network) => !network.includes(":"))];
  assert.deepEqual(closed?.toSorted(), expected.toSorted());
});
