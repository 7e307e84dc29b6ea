import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { approvePermissions, CuttableRelay, eventually, scaled, send } from "@appserver/testing/kit";
import { downDockerEngine, ensureDockerEngine } from "../../../tools/services/docker-engine.ts";
import { servicesFolder } from "../../../tools/services/shared-service.ts";
import { command } from "../../contract/commands.ts";
import { ContainerPlatform, type ContainerServices, startContainerServices } from "../switches/container-platform.ts";
import { Releases, slow, streaming } from "../switches/releases.ts";
import { switchOptions } from "../switches/switch-platform.ts";
import { SwitchedApp } from "../switches/switched-app.ts";

const isLongRun = scaled(100) === 100;
/** Only this file stops this engine. Otherwise its containers and images are removed while it runs, as by a restart of the site. */
const folders = isLongRun ? { engine: join(servicesFolder, "docker-without-registry") } : {};
const services = await startContainerServices(folders);
const awayMs = isLongRun ? 600_000 : 60_000;
const backWithinMs = 60_000;
const fresh = "test.fresh";

interface Seen {
  readonly state: string;
  readonly version: string;
  readonly lastError: { readonly message: string } | null;
  readonly conditions: readonly { readonly type: string; readonly reason: string; readonly message: string }[];
}

describe("a registry that is unreachable", { skip: "unavailable" in services ? services.unavailable : false }, () => {
  const { engine, registry } = services as ContainerServices;
  let relay: CuttableRelay;
  let platform: ContainerPlatform;
  let releases: Releases;
  let restarted: { stop(): Promise<void> } | undefined;
  before(async () => {
    const [host = "", port] = registry.host.split(":");
    relay = await CuttableRelay.to({ host, port: Number(port) });
    const seen = { host: `127.0.0.1:${relay.port}`, stop: () => registry.stop() };
    const options = { servers: 1, orchestrators: 1, ofOrchestrators: switchOptions(2_000) };
    platform = await ContainerPlatform.start({ ...(services as ContainerServices), registry: seen }, options);
    releases = await Releases.create();
  });
  after(async () => {
    await platform?.stop();
    await releases?.remove();
    await restarted?.stop();
    relay?.stop();
  });

  const look = async (name: string): Promise<Seen> => {
    const fields = "state version lastError { message } conditions { type reason message }";
    const { data, errors } = await platform.graphql(`{ app(name: "${name}") { ${fields} } }`);
    assert.equal(errors, undefined, JSON.stringify(errors));
    return (data as { readonly app: Seen }).app;
  };
  const waits = ({ conditions }: Seen): boolean => conditions.some(({ type }) => type === "ImageAvailable");

  test("an installation, an upgrade and an engine without images continue by themselves when it is back", async (t) => {
    const running = await SwitchedApp.install(platform, await releases.streaming("1.1.0"), "/instance");
    const upgrading = await SwitchedApp.install(platform, await releases.streaming("1.0.0", slow), "/instance");
    await upgrading.offer(await releases.streaming("2.0.0", slow));
    const installed = await releases.streaming("1.0.0", fresh);
    await platform.publish(fresh, installed.folder);
    await platform.register(installed.app);
    await approvePermissions(platform, fresh);

    relay.cut();
    const cutAt = performance.now();
    await command(platform, `installApp(name: "${fresh}") { success }`);
    await command(platform, `upgradeApp(name: "${slow}") { success }`);
    await engine.forget(running.name, `127.0.0.1:${relay.port}/${streaming}`);
    if (isLongRun && engine.socketPath.startsWith("/run/appserver-docker-")) {
      assert.ok(await downDockerEngine(folders.engine));
      const again = await ensureDockerEngine({ folder: folders.engine });
      assert.ok(!("unavailable" in again));
      restarted = again;
    }
    const versions: Readonly<Record<string, string>> = { [running.name]: "1.1.0", [slow]: "2.0.0", [fresh]: "1.0.0" };
    const names = Object.keys(versions);
    for (const name of names) await eventually(() => look(name), waits, { timeoutMs: 90_000, what: `${name} waits` });
    for (const name of names) {
      const { conditions, lastError } = await look(name);
      assert.partialDeepStrictEqual(conditions, [{ type: "ImageAvailable", reason: "ImagePullFailed" }]);
      if (name !== slow) assert.equal(lastError?.message, conditions[0]?.message);
    }
    while (performance.now() - cutAt < awayMs) {
      for (const name of names) assert.notEqual((await look(name)).state, "FAILED", name);
      await sleep(5_000);
    }
    const served = await send(platform.httpUrls[0] ?? "", upgrading.path("/instance"));
    assert.equal(served.status, 200, "the release before the upgrade still serves");

    relay.restore();
    const backAt = performance.now();
    const isUp = (name: string, { state, version, conditions }: Seen): boolean =>
      state === "RUNNING" && conditions.length === 0 && version === versions[name];
    await Promise.all(
      names.map(async (name) => {
        const up = (seen: Seen) => isUp(name, seen);
        await eventually(() => look(name), up, { timeoutMs: 120_000, intervalMs: 200, what: `${name} runs` });
        const seconds = (performance.now() - backAt) / 1_000;
        t.diagnostic(`${name} runs ${seconds.toFixed(1)} s after the registry was back`);
        assert.ok(seconds * 1_000 <= backWithinMs, `${name}: ${seconds} s`);
      }),
    );
  });
});
