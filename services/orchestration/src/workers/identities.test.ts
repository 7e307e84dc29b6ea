import assert from "node:assert/strict";
import { test } from "node:test";
import { ReconcileFixture } from "../../test/reconcile-fixture.ts";

const hour = 3_600_000;

/** The files of the newest container. */
function filesOf({ runtime, container }: ReconcileFixture): Readonly<Record<string, string>> | undefined {
  return runtime.files.get(container?.id ?? "");
}

test("a container gets its identity before it starts", async () => {
  const fixture = new ReconcileFixture();
  await fixture.reconcile();
  assert.equal(filesOf(fixture)?.["key.pem"], fixture.identities.keys.get(1));
  const calls = fixture.runtime.calls.map((call) => call.split(" ")[0]);
  assert.deepEqual(calls.slice(-3), ["create", "write", "start"]);
});

test("a container that replaces a dead one gets a new key", async () => {
  const fixture = new ReconcileFixture();
  await fixture.reconcile();
  const before = filesOf(fixture)?.["key.pem"];
  fixture.runtime.end(fixture.container?.name ?? "", 1);
  await fixture.reconcile();
  await fixture.clock.advance(60_000);
  await fixture.reconcile();
  assert.equal(fixture.deployment.state, "HEALTHY");
  assert.notEqual(filesOf(fixture)?.["key.pem"], before);
  assert.equal(filesOf(fixture)?.["key.pem"], fixture.identities.keys.get(1));
});

test("after a kill at any write, engine call or call for the identity, the container has the key that is stored", async () => {
  const whole = new ReconcileFixture();
  await whole.reconcile();
  const kills: readonly ((fixture: ReconcileFixture, at: number) => void)[] = [
    ({ deployments }, at) => {
      deployments.killAtWrite = at;
    },
    ({ runtime }, at) => {
      runtime.killAtCall = at;
    },
    ({ identities }, at) => {
      identities.killAfterCall = at;
    },
  ];
  const counts = [whole.deployments.states.length, whole.runtime.calls.length, whole.identities.calls];
  for (const [index, kill] of kills.entries()) {
    for (let at = 1; at <= (counts[index] ?? 0); at++) {
      const fixture = new ReconcileFixture();
      kill(fixture, at);
      for (let start = 0; start < 3; start++) {
        await fixture.reconcile().catch(() => {});
        await fixture.clock.advance(60_000);
      }
      assert.equal(fixture.deployment.state, "HEALTHY", `kill ${index} at ${at}`);
      assert.equal(filesOf(fixture)?.["key.pem"], fixture.identities.keys.get(1), `kill ${index} at ${at}`);
    }
  }
});

test("a certificate is renewed after 16 hours without a restart, and its key stays", async () => {
  const fixture = new ReconcileFixture();
  const { identities, clock } = fixture;
  identities.nextEnd = new Date(clock.now() + 24 * hour);
  await fixture.reconcile();
  const { "key.pem": key, "certificate.pem": first } = filesOf(fixture) ?? {};
  await clock.advance(15.9 * hour);
  await fixture.reconcile();
  assert.equal(filesOf(fixture)?.["certificate.pem"], first);
  identities.nextEnd = new Date(clock.now() + 24 * hour);
  await clock.advance(0.2 * hour);
  const starts = fixture.runtime.calls.filter((call) => call.startsWith("start")).length;
  await fixture.reconcile();
  assert.equal(filesOf(fixture)?.["certificate.pem"], identities.nextEnd.toISOString());
  assert.equal(filesOf(fixture)?.["key.pem"], key);
  assert.deepEqual(identities.ends.get(1), identities.nextEnd);
  assert.equal(fixture.runtime.calls.filter((call) => call.startsWith("start")).length, starts);
});

test("if the new certificate cannot be written, it is tried again", async () => {
  const fixture = new ReconcileFixture();
  const { identities, clock, runtime } = fixture;
  identities.nextEnd = new Date(clock.now() + 24 * hour);
  await fixture.reconcile();
  await clock.advance(17 * hour);
  identities.nextEnd = new Date(clock.now() + 24 * hour);
  runtime.failures.set("write", new Error("the engine is unreachable"));
  await assert.rejects(fixture.reconcile(), /the engine is unreachable/);
  assert.notDeepEqual(identities.ends.get(1), identities.nextEnd);
  await fixture.reconcile();
  assert.deepEqual(identities.ends.get(1), identities.nextEnd);
});
