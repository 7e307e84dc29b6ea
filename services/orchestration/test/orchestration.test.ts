import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@appserver/testing/kit";
import { desiredApp } from "./fixtures.ts";
import { clock, fresh, isHealthy, name, quickApp, usePlatforms, withPlatform } from "./real-platform.ts";

usePlatforms();

test("an app.installed event starts the app and emits its transitions; app.uninstalled removes it", async () => {
  await withPlatform(async (platform) => {
    await platform.orchestrator();
    platform.installed.set(name, quickApp());
    await platform.announce("app.installed");
    const { endpoint } = await platform.until("healthy", isHealthy);
    assert.match(endpoint ?? "", /^http:\/\/127\.0\.0\.1:\d+$/);
    const environment = (await (await fetch(`${endpoint}/`)).json()) as Record<string, string>;
    assert.equal(environment["APP_NAME"], name);
    assert.equal(environment["POSTGRES_PASSWORD"], undefined);
    await platform.untilEvents(fresh);
    const last = platform.events.at(-1);
    assert.deepEqual([last?.subject, last?.body["AppName"], last?.body["endpoint"]], [name, name, endpoint]);

    platform.installed.clear();
    await platform.announce("app.uninstalled");
    await platform.until("stopped", (deployment) => deployment?.state === "STOPPED");
    assert.deepEqual(await platform.runtime.list({}), []);
    await platform.untilEvents(`${fresh} STOPPING STOPPED`);
  });
});

test("an event without an app name becomes a dead letter", async () => {
  await withPlatform(async (platform) => {
    await platform.orchestrator();
    await platform.publish("app.installed", { AppID: desiredApp().id });
    await until("a dead letter", async () => (await platform.deadLetters()).length === 1);
    assert.match((await platform.deadLetters())[0]?.error ?? "", /names no app/);
  });
});

test("a forged app.installed starts nothing", async () => {
  await withPlatform(async (platform) => {
    await platform.orchestrator();
    await platform.announce("app.installed");
    await platform.deployments.reconcile(name);
    await clock.sleep(500);
    assert.deepEqual([await platform.deployments.statuses(), await platform.runtime.list({})], [[], []]);
  });
});

test("start-up reconciliation starts installed apps, and an unknown desired state removes nothing", async () => {
  await withPlatform(async (platform) => {
    platform.installed.set(name, quickApp());
    const first = await platform.orchestrator();
    await first.reconciled;
    const { containerId, endpoint, imageDigest, wantedInstances, instances } = await platform.until("healthy", isHealthy);
    const { id: appId, generation } = quickApp();
    assert.deepEqual(await platform.deployments.statuses(), [
      { appId, generation, state: "HEALTHY", final: false, endpoint, wantedInstances, instances, imageDigest },
    ]);
    await first.stop?.();
    platform.isBlind = true;
    await platform.orchestrator();
    await platform.deployments.reconcile(name);
    await clock.sleep(1_500);
    const [container] = await platform.runtime.list({});
    assert.deepEqual([container?.id, container?.status], [containerId, "running"]);
    platform.isBlind = false;
    platform.installed.clear();
    await platform.until("stopped", (deployment) => deployment?.state === "STOPPED");
  });
});

test("an app that stopped with the platform runs again after the next start, and the restart is not counted", async () => {
  await withPlatform(async (platform) => {
    platform.installed.set(name, quickApp());
    const first = await platform.orchestrator();
    await platform.until("healthy", isHealthy);
    await first.stop?.();
    await platform.runtime.stop(`app-${name}`, 1_000);
    await (await platform.orchestrator()).reconciled;
    const { state, restartCount } = await platform.until("healthy", isHealthy);
    assert.deepEqual([state, restartCount, (await platform.runtime.list({})).length], ["HEALTHY", 0, 1]);
  });
});

test("a removed container is replaced within the health interval, and two orchestrators create only one", async () => {
  await withPlatform(async (platform) => {
    platform.installed.set(name, quickApp());
    await Promise.all([platform.orchestrator(), platform.orchestrator()]);
    const first = await platform.until("healthy", isHealthy);
    await platform.runtime.remove(`app-${name}`);
    const second = await platform.until("fresh and healthy", (now) => isHealthy(now) && now?.id !== first.id);
    assert.equal(second.restartCount, 0);
    assert.equal((await platform.runtime.list({})).length, 1);
    await platform.untilEvents(`${fresh} FAILED ${fresh}`);
  });
});

test("an app that died is detected, recorded with its exit code, and waits for its back-off", async () => {
  await withPlatform(async (platform) => {
    platform.installed.set(name, quickApp());
    await platform.orchestrator();
    const first = await platform.until("healthy", isHealthy);
    await fetch(`${first.endpoint}/exit`).catch(() => {});
    const second = await platform.until("a fresh deployment", (now) => now?.id !== first.id);
    assert.deepEqual([second.state, second.restartCount], ["PENDING", 1]);
    assert.match(second.lastError?.message ?? "", /the app exited with code 3/);
    assert.ok(second.notBefore && second.notBefore.getTime() > clock.now() + 5_000);
  });
});

test("an unknown image is final; a restart request from another process tries again", async () => {
  await withPlatform(async (platform) => {
    platform.installed.set(name, quickApp({ imageStage: "nightly" }));
    await platform.orchestrator();
    const failed = await platform.until("failed", (deployment) => deployment?.final === true);
    assert.equal(failed.lastError?.code, "INVALID_REQUEST");
    platform.installed.set(name, quickApp());
    await platform.deployments.restart(name);
    await platform.until("healthy", isHealthy);
    await platform.untilEvents(`PENDING FAILED STOPPING STOPPED ${fresh}`);
  });
});
