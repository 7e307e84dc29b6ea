import assert from "node:assert/strict";
import test from "node:test";
import { CelCondition } from "./cel-condition.ts";

function met(type: string, expression: string, value: unknown, element?: string): boolean {
  const parameter = {
    type_name: `TYPE_NAME_${type}`,
    ...(element && { generic_types: [{ type_name: `TYPE_NAME_${element}` }] }),
  };
  return new CelCondition({ name: "c", expression, parameters: { v: parameter } }).isMet({ v: value });
}

test("values are converted to the parameter's type", () => {
  assert.ok(met("INT", "v == 9007199254740993", "9007199254740993"));
  assert.ok(met("INT", "v == 3", 3));
  assert.ok(met("UINT", "v == 3u", "3"));
  assert.ok(met("DOUBLE", "v == 1.5", "1.5"));
  assert.ok(met("BOOL", "v", true));
  assert.ok(met("DURATION", "v == duration('5400s')", "1h30m"));
  assert.ok(met("DURATION", "v < duration('0s')", "-1.5s"));
  assert.ok(met("TIMESTAMP", "v > timestamp('2023-01-01T00:00:00Z')", "2023-01-01T02:00:00+01:00"));
  assert.ok(met("LIST", "2 in v", [1, 2], "INT"));
  assert.ok(met("MAP", "v.team == 'a'", { team: "a" }, "STRING"));
  assert.ok(met("ANY", "v.deep[0] == 1.0", { deep: [1] }));
});

test("values of another type are refused with the expected type", () => {
  for (const [type, value] of [
    ["INT", 1.5],
    ["INT", "one"],
    ["INT", Number.POSITIVE_INFINITY],
    ["UINT", -1],
    ["DOUBLE", true],
    ["BOOL", "true"],
    ["STRING", 1],
    ["DURATION", "1 hour"],
    ["TIMESTAMP", "yesterday"],
    ["IPADDRESS", "1.2.3"],
    ["LIST", {}],
    ["MAP", []],
  ] as const) {
    assert.throws(() => met(type, "true", value), /condition c, parameter v: expected/, `${type} ${value}`);
  }
});

test("addresses are compared by value, and match only networks of their own family", () => {
  assert.ok(met("IPADDRESS", "v.in_cidr('192.168.0.0/16')", "192.168.7.1"));
  assert.ok(!met("IPADDRESS", "v.in_cidr('192.168.0.0/16')", "::ffff:192.168.7.1"));
  assert.ok(met("IPADDRESS", "v.in_cidr('2001:db8::/32')", "2001:db8:0::1"));
  assert.ok(met("IPADDRESS", "v == ipaddress('2001:db8::1')", "2001:0db8:0:0::1"));
  assert.throws(() => met("IPADDRESS", "v.in_cidr('192.168.0.0/33')", "192.168.7.1"), /network\/bits/);
});
