import assert from "node:assert/strict";
import { test } from "node:test";
import { destination } from "./destination.ts";
import { appPolicy, installationPolicy } from "./network-policies.ts";

interface Rule {
  readonly to?: readonly { readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] } }[];
  readonly from?: readonly unknown[];
  readonly ports?: readonly unknown[];
}
interface Spec {
  readonly ingress?: readonly Rule[];
  readonly egress: readonly Rule[];
}
const specOf = (...args: Parameters<typeof installationPolicy>): Spec => installationPolicy(...args).spec as Spec;

test("the pods of an installation are reached by gateways, and reach them, DNS, and addresses that are not private", () => {
  const { ingress, egress } = specOf("prod", "apps", {
    platformNamespace: "platform",
    gateways: ["192.0.2.7"],
    egress: [{ network: "10.0.0.0/24", port: 5_432 }],
    deniedNetworks: ["203.0.113.0/24", "2001:db8::1"],
  });
  const pods = {
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "platform" } },
    podSelector: { matchLabels: { "appserver.gateway": "prod" } },
  };
  assert.deepEqual(ingress, [{ from: [pods, { ipBlock: { cidr: "192.0.2.7/32" } }] }]);
  const [dns, gateways, database, internet, ...others] = egress;
  assert.deepEqual([dns?.to, dns?.ports?.length], [undefined, 2]);
  assert.deepEqual(gateways, { to: [pods] });
  assert.deepEqual(database, { ports: [{ protocol: "TCP", port: 5_432 }], to: [{ ipBlock: { cidr: "10.0.0.0/24" } }] });
  const [v4, v6] = internet?.to ?? [];
  for (const network of ["10.0.0.0/8", "169.254.0.0/16", "100.64.0.0/10", "203.0.113.0/24"])
    assert.ok(v4?.ipBlock?.except?.includes(network), network);
  for (const network of ["fc00::/7", "2001:db8::1/128"]) assert.ok(v6?.ipBlock?.except?.includes(network), network);
  assert.deepEqual(others, []);
});

test("without gateways nothing gets in: a rule without sources would let in everything", () => {
  const { ingress, egress } = specOf("prod", "apps", {});
  assert.equal(ingress, undefined);
  assert.ok(egress.every(({ to, ports }) => (to ?? ports ?? []).length > 0));
});

test("without internet, only what is named is reached", () => {
  const { egress } = specOf("prod", "apps", { deniedNetworks: ["0.0.0.0/0", "::/0"] });
  assert.deepEqual(
    egress.map(({ to }) => to),
    [undefined],
  );
});

test("the pods of an app reach each other by installation and id", () => {
  const labels = { "appserver.instance": "prod", "appserver.app-id": "1", "appserver.app-name": "com.example.notes" };
  const { spec, metadata } = appPolicy("prod-app-com.example.notes-00000001", labels, "apps");
  const podSelector = { matchLabels: { "appserver.instance": "prod", "appserver.app-id": "1" } };
  const rules = { ingress: [{ from: [{ podSelector }] }], egress: [{ to: [{ podSelector }] }] };
  assert.deepEqual(spec, { podSelector, policyTypes: ["Ingress", "Egress"], ...rules });
  assert.match(metadata.name, /^[a-z][a-z0-9-]{0,62}$/);
  assert.equal(metadata.annotations?.["appserver.network"], "prod-app-com.example.notes-00000001");
});

test("destinations are addresses and networks with a port", () => {
  const read = (text: string) => destination.read(text, () => assert.fail());
  for (const [text, network, port] of [
    ["10.0.0.7:5432", "10.0.0.7", 5_432],
    ["10.0.0.0/24:5432", "10.0.0.0/24", 5_432],
    ["[fd00::7]:5432", "fd00::7", 5_432],
    ["[fd00::/64]:443", "fd00::/64", 443],
  ] as const)
    assert.deepEqual(read(text), { value: { network, port } });
  for (const text of [
    "db.internal:5432",
    "10.0.0.7",
    "10.0.0.7:0",
    "10.0.0.7:70000",
    "fd00::7:5432",
    "[10.0.0.7]:1",
    "10.0.0.0/40:1",
    "",
  ])
    assert.ok("expected" in read(text), text);
});
