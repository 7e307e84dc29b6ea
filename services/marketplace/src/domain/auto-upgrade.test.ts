import assert from "node:assert/strict";
import { test } from "node:test";
import type { AutoUpgrade } from "@appserver/contracts/settings";
import { upgradesByItself } from "./auto-upgrade.ts";

const allowed = (rule: AutoUpgrade, from: string, to: string): boolean => {
  const [a, b] = [from, to].map((text) => {
    const [version = "", revision = "1"] = text.split(" r");
    return { version, revision: Number(revision) };
  });
  return a !== undefined && b !== undefined && upgradesByItself(rule, a, b);
};

test("which releases the platform switches to by itself", () => {
  const rules: readonly (readonly [from: string, to: string, none: boolean, patch: boolean, minor: boolean])[] = [
    ["1.2.3", "1.2.4", false, true, true],
    ["1.2.3", "1.3.0", false, false, true],
    ["1.2.3", "2.0.0", false, false, false],
    ["1.2.3", "11.2.4", false, false, false],
    ["1.2.3", "1.20.0", false, false, true],
    ["1.2.3", "1.2.2", false, false, false],
    ["1.2.3", "1.2.3", false, false, false],
    ["1.2.3", "1.2.3 r2", true, true, true],
    ["1.2.3 r2", "1.2.3", false, false, false],
    ["1.2.3", "1.2.4-rc.1", false, false, false],
    ["1.2.4-rc.1", "1.2.4", false, true, true],
    ["1.2.3", "1.2.4+build-7", false, true, true],
  ];
  for (const [from, to, ...expected] of rules)
    assert.deepEqual(
      (["none", "patch", "minor"] as const).map((rule) => allowed(rule, from, to)),
      expected,
      `${from} to ${to}`,
    );
});
