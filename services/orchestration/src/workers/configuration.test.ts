import assert from "node:assert/strict";
import { test } from "node:test";
import { SettingDataType, SettingDefinitionSchema } from "@appserver/contracts/proto/appserver/v2/settings";
import { containerLabels } from "@appserver/kernel/ports";
import { create } from "@bufbuild/protobuf";
import { desiredApp, options } from "../../test/fixtures.ts";
import { ReconcileFixture as Fixture, type ReconcileFixture } from "../../test/reconcile-fixture.ts";
import { fresh } from "../../test/switch-fixture.ts";

const secret = "hunter2-canary";
const token = create(SettingDefinitionSchema, {
  key: "token",
  dataType: SettingDataType.STRING,
  sensitive: true,
  env: "TOKEN",
});
const declared = desiredApp({
  environment: { LOG_LEVEL: "info" },
  settingVariables: [token],
  user: "1000",
  limits: { memoryMb: 128 },
});

async function configured(): Promise<ReconcileFixture> {
  const fixture = new Fixture();
  fixture.desired = declared;
  fixture.settings.values.set("TOKEN", secret);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), fresh);
  fixture.runtime.calls.length = 0;
  return fixture;
}

const spec = ({ runtime }: ReconcileFixture) => {
  const last = runtime.specs.at(-1);
  assert.ok(last);
  return last;
};

test("the container gets the constants, the settings, the user and the limits; no label has a value", async () => {
  const fixture = await configured();
  const { environment, user, memoryMb, cpuShares, pidsLimit, labels } = spec(fixture);
  assert.deepEqual([environment["LOG_LEVEL"], environment["TOKEN"]], ["info", secret]);
  assert.deepEqual([user, memoryMb, cpuShares, pidsLimit], ["1000:1000", 128, options.cpuShares, options.pidsLimit]);
  assert.equal(labels[containerLabels.configuration], fixture.deployment.configuration);
  assert.ok(!JSON.stringify([labels, fixture.deployments.all]).includes(secret));
});

test("without a declaration the user is 65532 and the limits are the operator's; a higher limit is reduced to the maximum", async () => {
  const fixture = new Fixture();
  await fixture.reconcile();
  assert.deepEqual([spec(fixture).user, spec(fixture).memoryMb], ["65532:65532", options.memoryMb]);
  const greedy = new Fixture();
  greedy.desired = desiredApp({ limits: { memoryMb: 1_000_000, cpuShares: 262_144, pids: 4_000_000 } });
  await greedy.reconcile();
  const { memoryMb, cpuShares, pidsLimit } = spec(greedy);
  assert.deepEqual([memoryMb, cpuShares, pidsLimit], Object.values(options.maxLimits));
});

test("every change of the configuration makes the deployment out of date with one event, and changing it back does not", async () => {
  const changes: Readonly<Record<string, (fixture: ReconcileFixture) => void>> = {
    constant: (fixture) => {
      fixture.desired = { ...declared, environment: { LOG_LEVEL: "debug" } };
    },
    "another constant": (fixture) => {
      fixture.desired = { ...declared, environment: { ...declared.environment, MORE: "" } };
    },
    setting: (fixture) => fixture.settings.values.set("TOKEN", "other"),
    "removed setting": (fixture) => fixture.settings.values.delete("TOKEN"),
    user: (fixture) => {
      fixture.desired = { ...declared, user: "1001" };
    },
    "signed digest": (fixture) => {
      fixture.desired = { ...declared, signedDigest: `sha256:${"5".repeat(64)}` };
    },
    memory: (fixture) => {
      fixture.desired = { ...declared, limits: { memoryMb: 256 } };
    },
    "default limit": (fixture) => {
      fixture.options = { ...options, pidsLimit: 100 };
    },
    "address of the databases": (fixture) => {
      fixture.databases.address.host = "db2";
    },
    "container that another program changed": (fixture) => fixture.runtime.change("app-com.example.notes", "other"),
  };
  for (const [what, change] of Object.entries(changes)) {
    const fixture = await configured();
    change(fixture);
    await fixture.reconcile();
    assert.notEqual(fixture.deployment.wantedConfiguration, undefined, what);
    assert.notEqual(fixture.deployment.wantedConfiguration, fixture.deployment.configuration, what);
    assert.equal(fixture.takeStates(), "HEALTHY", what);
    await fixture.reconcile();
    assert.deepEqual([fixture.takeStates(), fixture.runtime.calls], ["", []], what);
    fixture.desired = declared;
    fixture.settings.values.set("TOKEN", secret);
    fixture.options = options;
    fixture.databases.address.host = "db";
    fixture.runtime.change("app-com.example.notes", fixture.deployment.fingerprint ?? "");
    await fixture.reconcile();
    assert.equal(fixture.deployment.wantedConfiguration, undefined, what);
    assert.equal(fixture.takeStates(), "HEALTHY", what);
  }
});

test("another image stage, another dependency and the deployment's own login do not make it out of date", async () => {
  const fixture = await configured();
  fixture.desired = { ...declared, imageStage: "testing", dependencies: [{ name: "com.example.clock" }] };
  fixture.others = [desiredApp({ id: "0193b8f0-0000-7000-8000-000000000002", name: "com.example.clock" })];
  await fixture.reconcile();
  assert.deepEqual([fixture.takeStates(), fixture.deployment.wantedConfiguration], ["", undefined]);
});

test("a new key replaces the digest and not the container; without the old key the deployment is out of date", async () => {
  const fixture = await configured();
  const before = fixture.deployment.configuration;
  fixture.digests.keys.unshift("k2");
  await fixture.reconcile();
  const { configuration, wantedConfiguration } = fixture.deployment;
  assert.match(configuration ?? "", /^k2:/);
  assert.notEqual(configuration, before);
  assert.deepEqual([wantedConfiguration, fixture.takeStates()], [undefined, ""]);
  fixture.digests.keys.splice(0, 2, "k3");
  await fixture.reconcile();
  assert.match(fixture.deployment.wantedConfiguration ?? "", /^k3:/);
});

test("a secret that cannot be decrypted replaces nothing; a new deployment waits for it and says why", async () => {
  const fixture = await configured();
  fixture.settings.unreadable = "the value of token was encrypted with the key k0, which is not configured any more";
  await fixture.reconcile();
  assert.deepEqual([fixture.takeStates(), fixture.deployment.wantedConfiguration], ["", undefined]);
  const waiting = new Fixture();
  waiting.desired = declared;
  waiting.settings.unreadable = fixture.settings.unreadable;
  await assert.rejects(waiting.reconcile(), /the environment of com.example.notes cannot be made/);
  assert.equal(waiting.deployment.state, "CREATING");
  assert.deepEqual(waiting.deployment.lastError, { code: "INVALID_STATE", message: fixture.settings.unreadable });
  waiting.settings.unreadable = undefined;
  await waiting.reconcile();
  assert.equal(waiting.deployment.state, "HEALTHY");
});

test("an app that failed permanently begins again when its configuration has changed", async () => {
  const fixture = await configured();
  const last = fixture.deployments.all.length - 1;
  fixture.deployments.all[last] = { ...fixture.deployment, state: "FAILED", final: true };
  fixture.runtime.end("app-com.example.notes", 1);
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), "");
  fixture.settings.values.set("TOKEN", "other");
  await fixture.reconcile();
  assert.equal(fixture.takeStates(), fresh);
  assert.equal(spec(fixture).environment["TOKEN"], "other");
});

test("a container that is restarted anyway is replaced by another one if it is out of date, and only then", async () => {
  const fixture = await configured();
  fixture.runtime.end("app-com.example.notes", 137);
  await fixture.reconcile(true);
  assert.equal(fixture.takeStates(), "RESTARTING STARTING HEALTHY");
  fixture.settings.values.set("TOKEN", "other");
  fixture.runtime.end("app-com.example.notes", 137);
  await fixture.reconcile(true);
  assert.equal(fixture.takeStates(), "RESTARTING CREATING STARTING HEALTHY");
  assert.equal(spec(fixture).environment["TOKEN"], "other");
  assert.equal(fixture.deployment.wantedConfiguration, undefined);
});

test("a container that a killed orchestrator had created keeps the digest that it was created with", async () => {
  for (let killAtWrite = 1; killAtWrite <= 8; killAtWrite += 1) {
    const fixture = new Fixture();
    fixture.desired = declared;
    fixture.settings.values.set("TOKEN", "first");
    fixture.deployments.killAtWrite = killAtWrite;
    await fixture.reconcile().catch(() => {});
    fixture.deployments.killAtWrite = 0;
    const created = fixture.runtime.specs.at(-1);
    fixture.settings.values.set("TOKEN", "second");
    await fixture.reconcile();
    await fixture.reconcile();
    const { configuration, wantedConfiguration } = fixture.deployment;
    assert.equal(configuration, spec(fixture).labels[containerLabels.configuration], `write ${killAtWrite}`);
    assert.equal(wantedConfiguration !== undefined, created?.environment["TOKEN"] === "first", `write ${killAtWrite}`);
  }
});
