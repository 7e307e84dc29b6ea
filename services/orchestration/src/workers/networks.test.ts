import assert from "node:assert/strict";
import { test } from "node:test";
import { PeriodicTasks } from "@appserver/kernel";
import { FakeClock } from "@appserver/testing/kit";
import { desiredApp, desiredRelease, options } from "../../test/fixtures.ts";
import { MemoryNetworks } from "../../test/memory-networks.ts";
import { ReconcileFixture } from "../../test/reconcile-fixture.ts";
import { ContainerError } from "../ports.ts";
import { gatewayLinks } from "./gateway-links.ts";
import type { OrchestrationContext } from "./repair-context.ts";

const pool = "10.213.0.0/16";
const { id: appId, name: appName } = desiredApp();
const network = `test-app-${appName}-00000001`;

function isolated(): { fixture: ReconcileFixture; networks: MemoryNetworks } {
  const fixture = new ReconcileFixture();
  fixture.options = { ...options, networkPool: pool };
  const networks = new MemoryNetworks(fixture.runtime);
  fixture.runtime.networks = networks;
  return { fixture, networks };
}

function namesOf({ networks }: MemoryNetworks): readonly string[] {
  return [...networks.keys()];
}

test("both generations of an app share its network, which goes with the uninstallation", async () => {
  const { fixture, networks } = isolated();
  await fixture.reconcile();
  fixture.desired = desiredApp({ next: desiredRelease() });
  await fixture.reconcile(false, "switching");
  assert.deepEqual(
    fixture.runtime.specs.map((spec) => [spec.name, spec.network]),
    [
      ["app-com.example.notes", network],
      ["app-com.example.notes-g2", network],
    ],
  );
  assert.deepEqual(networks.networks.get(network)?.labels, {
    "appserver.instance": "test",
    "appserver.app-id": appId,
    "appserver.app-name": appName,
  });
  fixture.desired = undefined;
  await fixture.reconcile();
  assert.deepEqual(namesOf(networks), [network], "the other generation still runs");
  await fixture.reconcile(false, "switching");
  await fixture.reconcile();
  assert.deepEqual([namesOf(networks), fixture.runtime.containers.size], [[], 0]);
});

test("a disabled app keeps its network", async () => {
  const { fixture, networks } = isolated();
  await fixture.reconcile();
  fixture.desired = desiredApp({ enabled: false });
  await fixture.reconcile();
  assert.deepEqual([namesOf(networks), fixture.runtime.containers.size], [[network], 0]);
});

test("after a kill at any call for networks, an app runs in its network, and nothing of it is left in the end", async () => {
  for (let at = 1; at <= 2; at++) {
    const { fixture, networks } = isolated();
    networks.killAtCall = at;
    for (const desired of [desiredApp(), undefined]) {
      fixture.desired = desired;
      await fixture.reconcile().catch(() => fixture.reconcile(true));
      const expected = desired ? [[network], 1] : [[], 0];
      assert.deepEqual([namesOf(networks), fixture.runtime.containers.size], expected, `killed at ${at}`);
    }
  }
});

test("the network of an earlier app of the same name is removed before the new app starts", async () => {
  const { fixture, networks } = isolated();
  const labels = { "appserver.instance": "test", "appserver.app-id": "earlier", "appserver.app-name": appName };
  networks.networks.set("old", { id: "old", name: "old", labels });
  await fixture.reconcile();
  assert.deepEqual(namesOf(networks), [network]);
});

test("without a free network, the deployment tells so and is tried again", async () => {
  const { fixture, networks } = isolated();
  networks.failure = new ContainerError("no_free_network", `containers.network_pool ${pool} has no free /27`);
  await fixture.reconcile();
  const { state, final, lastError } = fixture.deployment;
  assert.deepEqual([state, final], ["PENDING", false]);
  assert.deepEqual(lastError, { code: "SERVICE_UNAVAILABLE", message: `containers.network_pool ${pool} has no free /27` });
  await fixture.clock.advance(10_000);
  await fixture.reconcile();
  assert.equal(fixture.deployment.state, "HEALTHY");
});

test("dependencies are called through the platform", async () => {
  const { fixture } = isolated();
  const clock = desiredApp({ id: "0193b8f0-0000-7000-8000-000000000002", name: "com.example.clock" });
  fixture.others = [clock];
  fixture.desired = desiredApp({ dependencies: [{ name: clock.name }] });
  await fixture.reconcile();
  const { environment } = fixture.runtime.specs[0] ?? assert.fail();
  assert.equal(environment["UPSTREAM_COM_EXAMPLE_CLOCK"], "http://platform/api/apps/com.example.clock");
  assert.equal(environment["UPSTREAM_COM_EXAMPLE_NOTES"], "http://app-com.example.notes:3000");
});

test("without a pool, all apps are in the platform's network", async () => {
  const { fixture, networks } = isolated();
  fixture.options = options;
  await fixture.reconcile();
  assert.deepEqual([fixture.runtime.specs[0]?.network, namesOf(networks)], ["net", []]);
});

test("gateways are connected at the start and every two seconds, also after a failure", async () => {
  const { fixture, networks } = isolated();
  const warnings: string[] = [];
  const { runtime } = fixture;
  const clock = new FakeClock();
  const logger = { info: () => {}, warn: (fields: { task: string }) => warnings.push(fields.task) };
  const { engine } = fixture;
  const context = { runtime, engine, clock, logger, options: fixture.options } as unknown as OrchestrationContext;
  const links = new PeriodicTasks({ ...context, name: "test", tasks: gatewayLinks(context) });
  links.start();
  await clock.advance(0);
  await clock.advance(2_000);
  assert.equal(networks.links, 2);
  for (const reason of ["unreachable", "other"] as const) {
    networks.connectGateways = () => Promise.reject(new ContainerError(reason, reason));
    await clock.advance(2_000);
  }
  assert.deepEqual(warnings, ["gateway links"], "reconcilers report that the engine is unreachable");
  await links.stop();
});
